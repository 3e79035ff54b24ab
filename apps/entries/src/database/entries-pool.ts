import pg from "pg";

export interface EntriesPoolOptions {
  readonly databaseUrl: string;
  readonly connections: number;
}

/** The application's own connections; the engine has others. */
export function entriesPool({ databaseUrl, connections }: EntriesPoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    application_name: "entries",
    connectionTimeoutMillis: 5_000,
  });
  // A connection that breaks while nobody uses it: the pool has dropped it, and the next query opens another.
  pool.on("error", () => undefined);
  return pool;
}
