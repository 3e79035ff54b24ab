import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Known } from "./strange-arguments.ts";

/** A pipeline, a worker and jobs in a few states: what the calls are about when they are about something. */
export async function layGround(client: pg.Client): Promise<Known> {
  const workerId = randomUUID();
  const stages = [{ name: "read" }, { name: "sort" }, { name: "send", maxAttempts: 2, concurrency: 3 }];
  await client.query("select lockstep.define_pipeline('orders', $1)", [JSON.stringify(stages)]);
  await client.query("select lockstep.register_worker($1, 'fuzz', '1 hour', '{orders/read}')", [workerId]);
  const add = async (options: string) =>
    (await client.query<{ id: string }>(`select id from lockstep.add_job('orders', ${options})`)).rows;
  await add("p_owner => 'ada'");
  await add("p_payload => '{}'");
  const { rows: held } = await client.query<{ id: string; claim_token: string }>(
    "select id, claim_token from lockstep.claim_jobs($1, '{orders/read}', 2)",
    [workerId],
  );
  const talk = [{ name: "ask" }, { name: "answer", kind: "wait", waitMs: 60_000 }, { name: "tell" }];
  await client.query("select lockstep.define_pipeline('talks', $1)", [JSON.stringify(talk)]);
  await client.query("select lockstep.add_job('talks', p_signal_key => 'k')");
  const { rows: talks } = await client.query<{ id: string; claim_token: string }>(
    "select id, claim_token from lockstep.claim_jobs($1, '{talks/ask}', 1)",
    [workerId],
  );
  for (const { id, claim_token } of talks)
    await client.query("select lockstep.complete_job($1, $2)", [id, claim_token]);
  const waiting = [...talks, ...(await add("p_dedup_key => 'k'")), ...(await add("p_group_key => 'g'"))];
  const { rows: stageRows } = await client.query<{ id: number }>("select id from lockstep.stages");
  const ids = [...held, ...waiting].map(({ id }) => id);
  const tokens = held.map(({ claim_token }) => claim_token);
  const stageIds = stageRows.map(({ id }) => id);
  return {
    p_id: ids,
    p_job_id: ids,
    p_ids: [ids, ids.slice(0, 1), []],
    p_claim_token: tokens,
    p_tokens: [tokens, []],
    p_worker_id: [workerId],
    p_pipeline: ["orders", "talks"],
    p_name: ["orders", "nightly", "answer"],
    p_key: ["k", "mail"],
    p_stage: ["read", "orders/read"],
    p_stages: [["orders/read"], ["orders/none"]],
    p_stage_ids: [stageIds, stageIds.slice(0, 1)],
    p_dedup_key: ["k"],
    p_owner: ["ada"],
    p_time_zone: ["Europe/Paris", "UTC"],
  };
}
