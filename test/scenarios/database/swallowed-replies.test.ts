import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TcpProxy } from "../faults/tcp-proxy.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
const jobs = new JobFactory(db);
const times = 8;
let proxy: TcpProxy;
let worker: string;

beforeAll(async () => {
  proxy = await TcpProxy.start(db.url);
  await jobs.aPipeline("orders", ["read", "send"]);
  worker = await jobs.aWorker({ serves: ["orders/read", "orders/send"], leaseSeconds: 3_600 });
});
afterAll(() => proxy.stop());

/** The first value of a statement that has taken effect before its reply is lost, and is then sent again. */
async function sentTwice(text: string, values: unknown[]): Promise<unknown> {
  const lost = proxy.lose({ toRequestWith: "lockstep." });
  await expect(throughProxy(text, values)).rejects.toThrow();
  await lost;
  return throughProxy(text, values);
}

async function throughProxy(text: string, values: unknown[]): Promise<unknown> {
  const client = new pg.Client({ connectionString: proxy.url });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query({ text, values, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function held(stage = "orders/read") {
  const job = await jobs.aClaimedJob({ by: worker });
  if (stage === "orders/read") return job;
  await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
  const [next] = await jobs.claimAs(worker, { stage });
  if (next === undefined) throw new Error("The job did not go on.");
  return next;
}

const settles = [
  { what: "advance", call: "complete_job($1, $2, '1', p_now => $3)", becomes: "pending" },
  {
    what: "complete",
    stage: "orders/send",
    call: "complete_job($1, $2, '1', p_now => $3)",
    becomes: "completed",
  },
  { what: "fail", call: 'fail_job($1, $2, \'{"message": "no"}\', p_now => $3)', becomes: "retrying" },
  { what: "give up", call: 'fail_job($1, $2, \'{"message": "no"}\', false, p_now => $3)', becomes: "failed" },
  { what: "release", call: "release_job($1, $2, p_now => $3)", becomes: "pending" },
  { what: "snooze", call: "snooze_job($1, $2, '1 hour', p_now => $3)", becomes: "scheduled" },
];

test.each(settles)(
  "a call to $what whose reply is lost is recognised when it is sent again",
  async (settle) => {
    for (let time = 0; time < times; time += 1) {
      const { id, claim_token: token } = await held(settle.stage);
      expect(await sentTwice(`select lockstep.${settle.call}`, [id, token, noon])).toBe("already_applied");
      expect(await jobs.read(id)).toMatchObject({ status: settle.becomes });
      await db.value("cancel_job", { p_id: id, p_now: noon });
    }
  },
);

test("a settle that also claims, and whose reply is lost, is recognised when it is sent again", async () => {
  const [{ stage_id } = { stage_id: 0 }] = await db.query<{ stage_id: number }>(
    "select id as stage_id from lockstep.stages where name = 'read'",
  );
  for (let time = 0; time < times; time += 1) {
    const { id, claim_token: token } = await held();
    const next = await jobs.aPendingJob();
    const claimToken = randomUUID();
    const text = `select detail ->> 'answer' from lockstep.settle_and_claim(
      $1, $2, array[$3::uuid], array[$4::uuid], '[{"outcome": "retry", "value": {}}]', array[$5::integer], array[1],
      array_fill(0::bigint, array[20]), array[2], array[null::timestamptz], p_now => $6)`;
    expect(await sentTwice(text, [worker, claimToken, id, token, stage_id, noon])).toBe("already_applied");
    expect(await jobs.read(id)).toMatchObject({ status: "retrying", attempt: 1 });
    // Once, though it was asked for twice.
    expect(await jobs.read(next)).toMatchObject({ status: "processing", attempt: 1 });
    for (const job of [id, next]) await db.value("cancel_job", { p_id: job, p_now: noon });
    await db.value("release_job", { p_id: next, p_claim_token: claimToken, p_now: noon });
  }
});

test("an add under an id of its own, whose reply is lost, adds one job when it is sent again", async () => {
  for (let time = 0; time < times; time += 1) {
    const id = randomUUID();
    const text = "select created from lockstep.add_job('orders', p_id => $1, p_now => $2)";
    expect(await sentTwice(text, [id, noon])).toBe(false);
    expect(await db.query("select id from lockstep.jobs")).toEqual([{ id }]);
    expect(await sentTwice("select lockstep.cancel_job($1, p_now => $2)", [id, noon])).toBe(
      "already_finished",
    );
    expect(await jobs.read(id)).toMatchObject({ status: "cancelled" });
  }
});

test("a claim whose reply is lost is told to its worker's next heartbeats, and given back unspent", async () => {
  for (let time = 0; time < times; time += 1) {
    const id = await jobs.aPendingJob();
    const text = "select id from lockstep.claim_jobs($1, '{orders/read}', 1, $2)";
    expect(await sentTwice(text, [worker, noon])).toBeUndefined();
    const [beat] = await db.call<{ held: { id: string; token: string }[] }>("heartbeat", {
      p_worker_id: worker,
      p_in_doubt: true,
      p_now: secondsAfter(noon, 21),
    });
    expect(beat?.held.map((one) => one.id)).toEqual([id]);
    const token = beat?.held[0]?.token;
    expect(await db.value("release_job", { p_id: id, p_claim_token: token, p_now: noon })).toBe("applied");
    expect(await jobs.read(id)).toMatchObject({ status: "pending", attempt: 0 });
    await db.value("cancel_job", { p_id: id, p_now: noon });
  }
});
