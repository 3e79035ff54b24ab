import type pg from "pg";

/** The rows that migrations put into tables, as JSON by table name: what an empty database is not without. */
export type SeedRows = Record<string, string>;

export async function readSeedRows(client: pg.Client): Promise<SeedRows> {
  const seedRows: SeedRows = {};
  for (const table of await filledTables(client)) {
    const { rows } = await client.query<{ seed: string }>(
      `select jsonb_agg(to_jsonb(t))::text as seed from ${table} t`,
    );
    if (rows[0] !== undefined) seedRows[table] = rows[0].seed;
  }
  return seedRows;
}

/** Brings every table but the record of migrations back to what it was when the database was new. */
export async function restoreRows(client: pg.Client, seedRows: SeedRows): Promise<void> {
  // Only those with rows: truncate writes new files for every table and index, and there are many by the day.
  const tables = await filledTables(client);
  if (tables.length > 0) await client.query(`truncate ${tables.join(", ")} cascade`);
  for (const [table, seed] of Object.entries(seedRows)) {
    await client.query(
      `insert into ${table} overriding system value select * from jsonb_populate_recordset(null::${table}, $1)`,
      [seed],
    );
  }
}

// In the order in which the functions lock them, and the jobs by their ids: an engine may go on working meanwhile.
const agingTables = ["upkeep", "schedules", "stages", "workers", "jobs", "effects", "claimed_ranges"];
const lockJobs = "select from lockstep.jobs order by id for no key update";

/** Moves all stored instants back, as if this much time had passed since; in one transaction. */
export async function ageRows(client: pg.Client, ms: number): Promise<void> {
  if (!Number.isFinite(ms)) throw new Error(`${ms} is no number of milliseconds.`);
  const { rows } = await client.query<{ name: string; update: string }>(
    `select c.relname as name, format('update %s set ', c.oid::regclass)
         || string_agg(format('%1$I = %1$I - interval ''%2$s milliseconds''', a.attname, $1::text), ', ') as update
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = to_regnamespace('lockstep')
       and c.relname = any ($2::text[])
       and c.relkind in ('r', 'p')
       and a.atttypid = 'timestamptz'::regtype
     group by c.oid
     order by array_position($2, c.relname::text)`,
    [ms, agingTables],
  );
  const history = `update lockstep.jobs
     set history = array(
       select (h.stage_id, h.attempt, h.outcome, h.claim_token, h.worker_id, h.claimed_at - interval '${ms} milliseconds',
         h.ended_at - interval '${ms} milliseconds', h.detail)::lockstep.ended_attempt
       from unnest(history) with ordinality h
       order by h.ordinality
     )
     where history is not null`;
  // Several statements in one message are one transaction, and join one that the test has open.
  const updates = rows.flatMap(({ name, update }) => (name === "jobs" ? [lockJobs, update] : [update]));
  await client.query([...updates, history].join(";\n"));
}

async function filledTables(client: pg.Client): Promise<string[]> {
  const tables = await client.query<{ name: string }>(
    `select format('lockstep.%I', relname) as name
     from pg_class
     where relnamespace = to_regnamespace('lockstep') and relkind = 'r' and relname <> 'migrations'`,
  );
  const looks = tables.rows.map(({ name }) => `select '${name}' as name where exists (select from ${name})`);
  if (looks.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(looks.join(" union all "));
  return rows.map(({ name }) => name);
}
