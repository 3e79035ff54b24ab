import { existsSync, readFileSync } from "node:fs";
import type pg from "pg";

/**
 * How long the server worked for a statement, at best of five: the time its process had a processor, since this machine may
 * have more to do than that. Where the process cannot be seen, the time it took.
 */
export async function busyMsOf(client: pg.Client, run: () => Promise<unknown>): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const file = `/proc/${rows[0]?.pid}/schedstat`;
  const isVisible = existsSync(file) && client.host === "127.0.0.1";
  const spentMs = () =>
    isVisible ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : performance.now();
  let bestMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5; tries++) {
    const beforeMs = spentMs();
    await run();
    bestMs = Math.min(bestMs, spentMs() - beforeMs);
  }
  return bestMs;
}
