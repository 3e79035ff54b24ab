import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Fails when somebody is still connected to a database whose tests have ended, and says who. */
export async function refuseOpenConnections(admin: pg.Client, databaseName: string): Promise<void> {
  // A connection that was closed on our side takes the server a moment to notice.
  const deadline = performance.now() + 2_000;
  let open = await openConnections(admin, databaseName);
  while (open.length > 0 && performance.now() < deadline) {
    await sleep(20);
    open = await openConnections(admin, databaseName);
  }
  if (open.length === 0) return;
  const list = open.map(({ who, state, query }) => `  ${who} (${state}), last query: ${query}`).join("\n");
  throw new Error(
    `This test file leaves ${open.length} connection(s) open. Stop the engine, end the pool or client:\n${list}`,
  );
}

async function openConnections(
  admin: pg.Client,
  databaseName: string,
): Promise<{ who: string; state: string; query: string }[]> {
  const { rows } = await admin.query(
    `select coalesce(nullif(application_name, ''), 'a connection without application_name') as who,
       coalesce(state, 'unknown') as state,
       left(query, 200) as query
     from pg_stat_activity
     where datname = $1 and backend_type = 'client backend'`,
    [databaseName],
  );
  return rows;
}
