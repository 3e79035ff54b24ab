import pg from "pg";

export interface ServerTimes {
  /** An empty statement, there and back. */
  readonly roundTripMs: readonly number[];
  /** The same with a commit that has to reach the disk. */
  readonly commitMs: readonly number[];
}

/** How long the server takes for the least there is: what no queue on it can be quicker than. */
export async function measureServer(options: { databaseUrl: string; samples: number }): Promise<ServerTimes> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    const times = async (text: string) => {
      const spentMs: number[] = [];
      for (let index = 0; index < options.samples; index += 1) {
        const beganMs = performance.now();
        await client.query(text);
        spentMs.push(performance.now() - beganMs);
      }
      return spentMs;
    };
    // The first ones pay for warming up.
    await client.query("select 1");
    return {
      roundTripMs: await times("select 1"),
      // Writes to the log and nowhere else.
      commitMs: await times("select pg_logical_emit_message(true, 'lockstep', 'bench')"),
    };
  } finally {
    await client.end();
  }
}
