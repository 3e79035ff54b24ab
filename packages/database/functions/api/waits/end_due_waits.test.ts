import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

const hour = 3_600;

beforeEach(async () => {
  await db.reset();
  worker = await jobs.aWorker({ leaseSeconds: 30 * 24 * hour });
});

/** A job in the second of these stages, since noon. */
async function inSecond(
  second: { name: string; [option: string]: unknown },
  ...more: string[]
): Promise<string> {
  await jobs.aPipeline("orders", ["read", second, ...more]);
  const claimed = await jobs.aClaimedJob({ by: worker });
  await db.value("complete_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_output: { n: 1 },
    p_now: noon,
  });
  return claimed.id;
}

const endDue = (at: Date) => db.call("end_due_waits", { p_now: at });
const wait = { name: "answer", kind: "wait", waitMs: hour * 1000 };

test("a wait whose time is over fails its job, which can be retried and waits again", async () => {
  const id = await inSecond(wait, "use");
  expect(await endDue(secondsAfter(noon, 10))).toEqual([
    { ended: 0, next_due_ms: (hour - 10) * 1000, job_ids: [] },
  ]);
  const at = secondsAfter(noon, hour);
  expect(await endDue(at)).toEqual([{ ended: 1, next_due_ms: null, job_ids: [id] }]);
  expect(await jobs.read(id)).toMatchObject({
    stage: "answer",
    status: "failed",
    error: {
      name: "WaitTimeoutError",
      message: 'The wait "answer" timed out: no signal came within 1 hour.',
    },
    attempts: [{ stage: "read" }, { stage: "answer", outcome: "timed_out" }],
  });
  expect(await db.value("signal_job", { p_id: id, p_name: "answer", p_now: at })).toBe("already_finished");
  await db.call("retry_job", { p_id: id, p_now: at });
  expect(await jobs.read(id)).toMatchObject({
    status: "scheduled",
    scheduled_for: secondsAfter(noon, 2 * hour),
  });
  expect(await db.call("verify", { p_now: at })).toEqual([]);
});

test("one that may go on without a signal does, with null as its output", async () => {
  const id = await inSecond({ ...wait, onTimeout: "continue" }, "use");
  const at = secondsAfter(noon, hour);
  await endDue(at);
  expect(await jobs.read(id)).toMatchObject({
    stage: "use",
    status: "pending",
    outputs: { read: { n: 1 }, answer: null },
  });
  expect(await db.value("signal_job", { p_id: id, p_name: "answer", p_now: at })).toBe("timed_out");
  expect(await db.call("verify", { p_now: at })).toEqual([]);
});

test("one that names a later stage sends its job there", async () => {
  const id = await inSecond({ ...wait, onTimeout: "close" }, "use", "close");
  const at = secondsAfter(noon, hour);
  await endDue(at);
  expect(await jobs.read(id)).toMatchObject({
    stage: "close",
    status: "pending",
    outputs: { read: { n: 1 } },
  });
  expect((await jobs.claimAs(worker, { stage: "orders/close", at }))[0]?.output).toBe(null);
  expect(await db.call("verify", { p_now: at })).toEqual([]);
});

test("a sleep that is over lets its job go on with the output of the stage before", async () => {
  const id = await inSecond({ name: "rest", kind: "sleep", waitMs: hour * 1000 }, "use");
  expect(await db.call("explain_job", { p_id: id, p_now: noon })).toMatchObject([
    { reason: "sleeps", detail: { endsAt: "2026-03-02T13:00:00+00:00" } },
  ]);
  expect(await db.value("signal_job", { p_id: id, p_name: "rest", p_now: noon })).toBe("no_such_wait");
  const at = secondsAfter(noon, hour);
  await endDue(at);
  const [claimed] = await jobs.claimAs(worker, { stage: "orders/use", at });
  expect(claimed).toMatchObject({ id, output: { n: 1 } });
});

test("a sleep as the last stage completes its job with the output of the stage before", async () => {
  const id = await inSecond({ name: "rest", kind: "sleep", waitMs: hour * 1000 });
  await endDue(secondsAfter(noon, hour));
  expect(await jobs.read(id)).toMatchObject({ status: "completed", result: { n: 1 } });
});

test("a wait without a timeout never ends by itself", async () => {
  const id = await inSecond({ name: "answer", kind: "wait" }, "use");
  expect(await endDue(secondsAfter(noon, 20_000 * hour))).toEqual([
    { ended: 0, next_due_ms: null, job_ids: [] },
  ]);
  expect(await jobs.read(id)).toMatchObject({ stage: "answer", scheduled_for: null, wait: { until: null } });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});

test("the upkeep says that waits are due which nobody has ended", async () => {
  await inSecond(wait, "use");
  const upkeep = (at: Date) =>
    db.call("do_upkeep", { p_worker_id: worker, p_sweep_interval: "0", p_now: at });
  expect(await upkeep(secondsAfter(noon, 10))).toMatchObject([{ are_waits_due: false }]);
  expect(await upkeep(secondsAfter(noon, hour + 5))).toMatchObject([{ are_waits_due: true }]);
});
