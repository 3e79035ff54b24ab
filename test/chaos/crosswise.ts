import { randomUUID } from "node:crypto";
import type pg from "pg";
import { sqlFunction } from "../../packages/engine/src/store/calls/call-function.ts";
import type { Database } from "../../packages/engine/src/store/connections/database.ts";
import { until } from "../scenarios/stories/until.ts";

const functions = {
  add: sqlFunction("add_jobs", ["p_jobs"]),
  register: sqlFunction("register_worker", ["p_worker_id", "p_name", "p_lease", "p_stages"]),
  claim: sqlFunction("claim_jobs", ["p_worker_id", "p_stages", "p_batch_size"]),
  settle: sqlFunction("settle_jobs", ["p_ids", "p_tokens"]),
};

/**
 * A stranger locks two jobs in the wrong order while a call of ours ends both, which locks them in the right one. Who of the
 * two PostgreSQL ends is who finds out first: the stranger takes its time. Whether the stranger had to yield all the same.
 */
export async function meetCrosswise(
  { store, stranger, watcher }: { store: Database; stranger: pg.Client; watcher: pg.Client },
  pipeline: string,
): Promise<boolean> {
  const workerId = randomUUID();
  const stages = [`${pipeline}/send`];
  await store.query(functions.add(JSON.stringify([{ pipeline }, { pipeline }])));
  await store.query(functions.register(workerId, "crosswise", "1 minute", stages));
  const claims = await store.query<{ id: string; claim_token: string }>(functions.claim(workerId, stages, 2));
  const ids = claims.map(({ id }) => id).sort();
  const lock = (id: string | undefined) =>
    stranger.query("select from lockstep.jobs where id = $1 for update", [id]);

  await stranger.query("begin");
  await stranger.query("set local deadlock_timeout = '3s'");
  await lock(ids[1]);
  const tokens = ids.map((id) => claims.find((claim) => claim.id === id)?.claim_token);
  const settling = store.query(functions.settle(ids, tokens));
  await until("our call waits for the stranger", async () => {
    const { rows } = await watcher.query<{ waits: boolean }>(
      "select exists (select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))) as waits",
      [(stranger as pg.Client & { processID: number }).processID],
    );
    return rows[0]?.waits === true;
  });
  const yields = await lock(ids[0]).then(
    () => false,
    (error: { code?: unknown }) => error.code === "40P01",
  );
  await stranger.query("rollback");
  await settling;
  return yields;
}
