import pg from "pg";

/** Takes away what `lockstep bench` has left in a database; says how many jobs. */
export async function removeBench(options: { databaseUrl: string }): Promise<number> {
  const client = new pg.Client({ connectionString: options.databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query("select lockstep.remove_bench() as jobs");
    return Number(rows[0].jobs);
  } finally {
    await client.end();
  }
}
