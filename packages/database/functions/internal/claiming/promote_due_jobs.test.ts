import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: number[];

beforeEach(async () => {
  await db.reset();
  stageIds = Object.values(await jobs.aPipeline("orders", ["read", "write"]));
});

const promote = (at: Date, ids = stageIds) => db.value("promote_due_jobs", { p_stage_ids: ids, p_now: at });

test("scheduled and retrying jobs that are due become pending, the others wait on", async () => {
  const worker = await jobs.aWorker();
  const failed = await jobs.aClaimedJob({ by: worker });
  await db.value("fail_job", {
    p_id: failed.id,
    p_claim_token: failed.claim_token,
    p_error: {},
    p_retry_after: "5 seconds",
    p_now: noon,
  });
  const due = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 10) });
  const later = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 11) });
  await promote(secondsAfter(noon, 10));
  expect(await jobs.read(failed.id)).toMatchObject({ status: "pending", attempt: 1 });
  expect(await jobs.read(due)).toMatchObject({ status: "pending" });
  expect(await jobs.read(later)).toMatchObject({ status: "scheduled" });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
});

test("what becomes due stands behind those that became pending before, in the order of its times", async () => {
  const worker = await jobs.aWorker();
  const failed = await jobs.aClaimedJob({ by: worker });
  await db.value("fail_job", {
    p_id: failed.id,
    p_claim_token: failed.claim_token,
    p_error: {},
    p_retry_after: "5 seconds",
    p_now: noon,
  });
  const scheduled = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 6) });
  const waiting = await jobs.aPendingJob();
  const claimed = await jobs.claimAs(worker, { batchSize: 3, at: secondsAfter(noon, 10) });
  expect(claimed.map(({ id }) => id)).toEqual([waiting, failed.id, scheduled]);
});

test("jobs of other stages are left to their own claims", async () => {
  const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 1) });
  await promote(secondsAfter(noon, 60), stageIds.slice(1));
  expect(await jobs.read(id)).toMatchObject({ status: "scheduled" });
});

test("a crowd that is due at once is promoted a thousand at a time, the earliest first", async () => {
  await db.query(
    `select count(*) from lockstep.add_jobs((
       select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'scheduledFor', $1::timestamptz + n * interval '1 ms', 'payload', n))
       from generate_series(1, 1500) n
     ), p_now => $1)`,
    [noon],
  );
  const pending = () =>
    db.query(
      "select count(*)::integer, max(payload::integer) as last from lockstep.jobs where status = 'pending'",
    );
  await promote(secondsAfter(noon, 60));
  expect(await pending()).toEqual([{ count: 1_000, last: 1_000 }]);
  await promote(secondsAfter(noon, 60));
  expect(await pending()).toEqual([{ count: 1_500, last: 1_500 }]);
});

test("a job that somebody cancels at that moment is passed over, and not waited for", async () => {
  const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 1) });
  const other = await db.connect();
  await other.query("begin");
  await other.query("select lockstep.cancel_job($1)", [id]);
  await promote(secondsAfter(noon, 60));
  await other.query("commit");
  expect(await jobs.read(id)).toMatchObject({ status: "cancelled" });
});
