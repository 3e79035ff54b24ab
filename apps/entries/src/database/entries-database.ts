import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";

/** The application's own tables, over the application's own pool. */
export type EntriesDatabase = NodePgDatabase<Record<string, never>> & { $client: pg.Pool };

export function openEntriesDatabase(options: { databaseUrl: string; connections: number }): EntriesDatabase {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.connections,
    application_name: "entries",
    connectionTimeoutMillis: 5_000,
  });
  // A connection that breaks while nobody uses it: the pool has dropped it, and the next query opens another.
  pool.on("error", () => undefined);
  return drizzle(pool);
}
