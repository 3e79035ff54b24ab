import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

async function expire(seconds: number): Promise<unknown> {
  const [row] = await db.call<{ expired: number }>("expire_jobs", { p_now: at(seconds) });
  return row?.expired;
}

test("a job that has not started in time ends as failed, without an attempt", async () => {
  const pending = await jobs.aPendingJob({ startBy: at(60) });
  const scheduled = await jobs.aPendingJob({ startBy: at(60), scheduledFor: at(59) });
  const later = await jobs.aPendingJob({ startBy: at(61) });
  expect(await expire(59)).toBe(0);
  expect(await expire(60)).toBe(2);
  for (const id of [pending, scheduled]) {
    expect(await jobs.read(id)).toMatchObject({
      status: "failed",
      stage: "read",
      attempt: 0,
      attempts: [],
      finished_at: at(60),
      error: {
        name: "ExpiredError",
        message: "It had to start by 2026-03-02 12:01:00 UTC, but had not started.",
      },
    });
  }
  expect(await jobs.read(later)).toMatchObject({ status: "pending" });
  expect(await db.call("verify", { p_now: at(60) })).toEqual([]);
});

test("a job that has started does not expire: not while it runs, nor before its next stage or try", async () => {
  const worker = await jobs.aWorker();
  const advanced = await jobs.aClaimedJob({ by: worker, startBy: at(60) });
  await db.value("complete_job", { p_id: advanced.id, p_claim_token: advanced.claim_token, p_now: noon });
  const retrying = await jobs.aClaimedJob({ by: worker, startBy: at(60) });
  await db.value("fail_job", {
    p_id: retrying.id,
    p_claim_token: retrying.claim_token,
    p_error: {},
    p_now: noon,
  });
  await jobs.aClaimedJob({ by: worker, startBy: at(60) });
  expect(await expire(61)).toBe(0);
});

test("a job that is claimed meanwhile runs, and one that expires meanwhile is not claimed", async () => {
  const worker = await jobs.aWorker();
  const id = await jobs.aPendingJob({ startBy: at(60) });
  const [claimer, sweeper] = [await db.connect(), await db.connect()];
  await claimer.query("begin");
  const claim = "select id from lockstep.claim_jobs($1, '{orders/read}', p_now => $2)";
  expect((await claimer.query(claim, [worker, at(20)])).rows).toEqual([{ id }]);
  expect(await expire(61)).toBe(0);
  await claimer.query("rollback");
  await sweeper.query("begin");
  await sweeper.query("select lockstep.expire_jobs($1)", [at(60)]);
  expect((await claimer.query(claim, [worker, at(20)])).rows).toEqual([]);
  await sweeper.query("commit");
  expect(await jobs.read(id)).toMatchObject({ status: "failed" });
});

test("a cancel that waits for the sweep finds the job finished", async () => {
  const id = await jobs.aPendingJob({ startBy: at(60) });
  const [canceller, sweeper] = [await db.connect(), await db.connect()];
  await sweeper.query("begin");
  await sweeper.query("select lockstep.expire_jobs($1)", [at(60)]);
  const waiting = canceller.query("select lockstep.cancel_job($1) as answer", [id]);
  await untilBlocked(db);
  await sweeper.query("commit");
  expect((await waiting).rows).toEqual([{ answer: "already_finished" }]);
});

test("a sweep ends 1,000 that have expired, those first that were to start first", async () => {
  await db.call("add_jobs", {
    p_jobs: Array.from({ length: 1_001 }, (_, number) => ({
      pipeline: "orders",
      payload: number,
      startBy: at(2_000 - number),
    })),
    p_now: noon,
  });
  const sweep = async () => (await db.call("sweep_lost_workers", { p_now: at(3_000) }))[0];
  expect(await sweep()).toMatchObject({ expired_jobs: 1_000, failed_jobs: 0 });
  expect(await db.query("select payload from lockstep.jobs")).toEqual([{ payload: 0 }]);
  expect(await sweep()).toMatchObject({ expired_jobs: 1 });
});

test("a job that expired runs when a person retries it", async () => {
  const id = await jobs.aPendingJob({ startBy: at(60) });
  await expire(60);
  await db.call("retry_job", { p_id: id, p_now: at(70) });
  expect(await expire(80)).toBe(0);
  const worker = await jobs.aWorker({ at: at(80) });
  expect(await jobs.claimAs(worker, { at: at(80) })).toMatchObject([{ id, attempt: 1 }]);
});

describe("said of a job with a time to start by", () => {
  const reasons = (id: string, seconds: number) => db.call("explain_job", { p_id: id, p_now: at(seconds) });

  test("explain_job says when it will expire, and that it has", async () => {
    await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 3_600 });
    const id = await jobs.aPendingJob({ startBy: at(60) });
    expect(await reasons(id, 20)).toMatchObject([
      {
        reason: "expires",
        explanation: "It ends as failed if it has not started by 2026-03-02 12:01:00 UTC (40 s from now).",
      },
      { reason: "waiting" },
    ]);
    expect(await reasons(id, 61)).toMatchObject([
      {
        reason: "expired",
        explanation:
          "It had to start by 2026-03-02 12:01:00 UTC and has not started; the next sweep ends it as failed.",
      },
    ]);
  });

  test("verify complains when it still waits two sweeps later, and somebody was there to sweep", async () => {
    const id = await jobs.aPendingJob({ startBy: at(60) });
    expect(await db.call("verify", { p_now: at(76) })).toEqual([]);
    await jobs.aWorker({ leaseSeconds: 3_600 });
    expect(await db.call("verify", { p_now: at(75) })).toEqual([]);
    expect(await db.call("verify", { p_now: at(76) })).toMatchObject([{ invariant: "V18", job_id: id }]);
  });
});
