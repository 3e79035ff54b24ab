import { defaultSchema, inSchema, migrate } from "@lockstep/database";
import pg, { type Client } from "pg";

// Every function reads the time from its last argument, which nobody sends: another default is another clock.
const timeArgument = "p_now timestamp with time zone DEFAULT";

/** Makes Lockstep's schema in a database, with a clock that stands still until setDatabaseTime moves it. */
export async function makeClockedSchema(databaseUrl: string, schema = defaultSchema): Promise<void> {
  await migrate({ databaseUrl, schema });
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "lockstep testing" });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(`
      create schema lockstep_testing;
      create table lockstep_testing.clock (now timestamptz not null);
      insert into lockstep_testing.clock values (clock_timestamp());
      create function lockstep_testing.now() returns timestamptz
        language sql volatile security definer set search_path = pg_catalog, pg_temp
        as 'select c.now from lockstep_testing.clock c';
    `);
    const { rows } = await client.query<{ name: string; definition: string }>(
      inSchema(
        `select p.oid::regproc::text as name, pg_get_functiondef(p.oid) as definition
         from pg_proc p
         where p.pronamespace = 'lockstep'::regnamespace and 'p_now' = any (p.proargnames)`,
        schema,
      ),
    );
    await client.query("set local check_function_bodies = off");
    for (const { name, definition } of rows) {
      // Without a default it is one that others hand their time to.
      if (definition.includes(timeArgument)) await client.query(withOurClock(name, definition));
    }
    await client.query("commit");
  } finally {
    await client.end();
  }
}

function withOurClock(name: string, definition: string): string {
  const changed = definition.replace(
    `${timeArgument} clock_timestamp()`,
    `${timeArgument} lockstep_testing.now()`,
  );
  if (changed !== definition) return changed;
  throw new Error(
    `The function ${name} takes its time in a way that @lockstep/testing does not know: install versions of lockstep and @lockstep/testing that belong together.`,
  );
}

export async function setDatabaseTime(client: Client, now: Date): Promise<void> {
  await client.query("update lockstep_testing.clock set now = $1", [now]);
}
