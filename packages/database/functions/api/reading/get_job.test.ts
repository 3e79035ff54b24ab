import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
});

test("a job that does not exist gives no row", async () => {
  expect(await db.call("get_job", { p_id: randomUUID() })).toEqual([]);
});

test("a running job shows the attempt under way without an end", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  const { attempts } = await jobs.read(id);
  expect(attempts).toEqual([
    {
      stage: "read",
      attempt: 1,
      outcome: "processing",
      workerId: worker,
      claimedAt: expect.anything(),
      endedAt: null,
    },
  ]);
});

test("a job shows its attempts with their instants, live and finished", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("fail_job", {
    p_id: id,
    p_claim_token: claim_token,
    p_error: { message: "once" },
    p_retry_after: "0",
    p_now: secondsAfter(noon, 2),
  });
  const [second] = await jobs.claimAs(worker, { at: secondsAfter(noon, 3) });
  await db.value("fail_job", {
    p_id: id,
    p_claim_token: second?.claim_token,
    p_error: { message: "twice" },
    p_retry: false,
    p_now: secondsAfter(noon, 4),
  });
  const { attempts } = (await jobs.read(id)) as { attempts: { claimedAt: string; endedAt: string }[] };
  expect(attempts.map(({ claimedAt, endedAt }) => [new Date(claimedAt), new Date(endedAt)])).toEqual([
    [noon, secondsAfter(noon, 2)],
    [secondsAfter(noon, 3), secondsAfter(noon, 4)],
  ]);
  expect(attempts).toMatchObject([
    { attempt: 1, outcome: "failed", error: { message: "once" } },
    { attempt: 2, outcome: "failed", error: { message: "twice" } },
  ]);
});

test("a claim token is never shown, in no status", async () => {
  const tokens: string[] = [];
  const shown = async (id: string) => JSON.stringify(await jobs.read(id));
  const first = await jobs.aClaimedJob({ by: worker });
  tokens.push(first.claim_token);
  let seen = await shown(first.id);
  await db.value("complete_job", { p_id: first.id, p_claim_token: first.claim_token, p_now: noon });
  const [second] = await jobs.claimAs(worker, { stage: "orders/write" });
  tokens.push(String(second?.claim_token));
  seen += await shown(first.id);
  await db.value("fail_job", {
    p_id: first.id,
    p_claim_token: second?.claim_token,
    p_error: {},
    p_retry: false,
  });
  seen += await shown(first.id);
  await db.call("retry_job", { p_id: first.id });
  seen += await shown(first.id);
  seen += JSON.stringify(await db.call("list_jobs"));
  for (const token of tokens) expect(seen).not.toContain(token);
});

test("results of finished jobs come for those that are, and for no others", async () => {
  await jobs.aPipeline("letters", ["send"]);
  const letter = await jobs.aClaimedJob({ by: worker, pipeline: "letters", stage: "letters/send" });
  await db.value("complete_job", { p_id: letter.id, p_claim_token: letter.claim_token, p_output: { ok: 1 } });
  const failed = await jobs.aFailedJob({ by: worker });
  const waiting = await jobs.aPendingJob();
  const rows = await db.call("finished_results", { p_ids: [letter.id, failed.id, waiting, randomUUID()] });
  expect(new Map(rows.map(({ id, ...rest }) => [id, rest]))).toEqual(
    new Map([
      [letter.id, { status: "completed", result: { ok: 1 }, error: null }],
      [failed.id, { status: "failed", result: null, error: { message: "broken" } }],
    ]),
  );
});

test("an attempt that a cancel ended by force is shown as cancelled, also after a retry", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.value("cancel_job", { p_id: id, p_now: noon });
  await db.call("sweep_lost_workers", { p_cancel_grace: "1 second", p_now: secondsAfter(noon, 5) });
  expect(await jobs.read(id)).toMatchObject({ status: "cancelled", attempts: [{ outcome: "cancelled" }] });
  await db.call("retry_job", { p_id: id, p_now: secondsAfter(noon, 6) });
  expect(await jobs.read(id)).toMatchObject({
    status: "pending",
    attempts: [{ outcome: "cancelled" }, { outcome: "retried" }],
  });
});

test("what is larger than 256 KiB can be left out, and is named then", async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  const worker = await jobs.aWorker({ leaseSeconds: 600 });
  const large = "x".repeat(300 * 1_024);
  const claimed = await jobs.aClaimedJob({ by: worker, payload: { small: 1 } });
  await db.value("complete_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_output: { large },
    p_now: noon,
  });
  expect(await db.call("get_job", { p_id: claimed.id, p_full: false })).toMatchObject([
    {
      payload: { small: 1 },
      payload_bytes: 12,
      result: null,
      outputs: null,
      left_out: ["outputs", "result"],
    },
  ]);
  expect(await db.call("get_job", { p_id: claimed.id })).toMatchObject([
    { result: { large }, outputs: { read: { large } }, left_out: [] },
  ]);
});
