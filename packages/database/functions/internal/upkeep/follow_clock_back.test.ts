import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

// PostgreSQL's clock says noon, and is then set back by an hour.
const db = testDatabase();
const jobs = new JobFactory(db);
const eleven = secondsAfter(noon, -3_600);
let sweeper: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  sweeper = await jobs.aWorker({ leaseSeconds: 7_200 });
});

async function upkeep(at: Date) {
  const [answer] = await db.call("do_upkeep", { p_worker_id: sweeper, p_now: at });
  return answer;
}

describe("when PostgreSQL's clock is set back by an hour", () => {
  test("sweep, fold, retention and whatever else the fleet shares go on, and a heartbeat says so", async () => {
    await upkeep(noon);
    await db.query("update lockstep.upkeep set done_at = $1", [noon]);
    const [heartbeat] = await db.call("heartbeat", { p_worker_id: sweeper, p_now: eleven });
    expect(heartbeat).toMatchObject({ is_upkeep_due: true });
    expect(await upkeep(eleven)).toMatchObject({
      has_swept: true,
      is_fold_due: true,
      is_retention_due: true,
    });
    for (const task of ["fold", "retention", "effects", "recent_keys", "recorded_actions"]) {
      const args = { p_task: task, p_interval: "1 hour" };
      expect(await db.value("take_upkeep", { ...args, p_now: eleven }), task).toBe(true);
      expect(await db.value("take_upkeep", { ...args, p_now: secondsAfter(eleven, 5) }), task).toBe(false);
    }
    expect(await upkeep(secondsAfter(eleven, 4))).toMatchObject({ has_swept: false });
    expect(await upkeep(secondsAfter(eleven, 6))).toMatchObject({ has_swept: true });
  });

  test("a call that was sent a moment before the last sweep does not sweep again", async () => {
    await upkeep(secondsAfter(noon, 2));
    expect(await upkeep(noon)).toMatchObject({ has_swept: false });
  });

  test("the jobs of a worker that died run again a lease later, and those of one that lives stay with it", async () => {
    const [dead, alive] = [
      await jobs.aWorker({ leaseSeconds: 30 }),
      await jobs.aWorker({ leaseSeconds: 30 }),
    ];
    const lost = await jobs.aClaimedJob({ by: dead });
    const kept = await jobs.aClaimedJob({ by: alive });
    await upkeep(noon);
    expect(await upkeep(eleven)).toMatchObject({ has_swept: true, lost_workers: 0 });
    await db.call("heartbeat", { p_worker_id: alive, p_now: secondsAfter(eleven, 10) });
    expect(await upkeep(secondsAfter(eleven, 29))).toMatchObject({ lost_workers: 0 });
    expect(await upkeep(secondsAfter(eleven, 35))).toMatchObject({ lost_workers: 1, lost_jobs: 1 });
    expect(await jobs.read(lost.id)).toMatchObject({ status: "pending" });
    expect(await jobs.read(kept.id)).toMatchObject({ status: "processing" });
  });

  test("a job that does not stop when it is cancelled is ended after its grace", async () => {
    const { id } = await jobs.aClaimedJob({ by: sweeper });
    await db.value("cancel_job", { p_id: id, p_now: noon });
    await upkeep(noon);
    await upkeep(eleven);
    expect(await upkeep(secondsAfter(eleven, 35))).toMatchObject({ cancelled_jobs: 1 });
  });

  test("a failed job is tried again after its pause, and one that was scheduled waits for its time", async () => {
    const retry = { kind: "constant", baseMs: 60_000, jitter: 0 };
    await jobs.aPipeline("orders", [{ name: "read", retry }]);
    const { id, claim_token } = await jobs.aClaimedJob({ by: sweeper });
    await db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: {}, p_now: noon });
    const scheduled = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) });
    await upkeep(noon);
    await upkeep(eleven);
    expect(await jobs.read(id)).toMatchObject({
      status: "retrying",
      scheduled_for: secondsAfter(eleven, 60),
    });
    expect(await jobs.read(scheduled)).toMatchObject({ scheduled_for: secondsAfter(noon, 60) });
  });

  test("a key that was taken for a minute is free a minute later", async () => {
    const add = async (at: Date) => {
      const [added] = await db.call("add_job", {
        p_pipeline: "orders",
        p_dedup_key: "k",
        p_dedup: { throttleMs: 60_000 },
        p_now: at,
      });
      return added?.created;
    };
    expect(await add(noon)).toBe(true);
    await upkeep(noon);
    await upkeep(eleven);
    expect(await add(secondsAfter(eleven, 50))).toBe(false);
    expect(await add(secondsAfter(eleven, 61))).toBe(true);
  });

  test("a rate lets jobs start", async () => {
    await jobs.aPipeline("orders", [{ name: "read", rate: { jobs: 1, perMs: 60_000 } }]);
    for (const _ of [1, 2]) await jobs.aPendingJob();
    expect(await jobs.claimAs(sweeper, { batchSize: 2 })).toHaveLength(1);
    expect(await jobs.claimAs(sweeper, { batchSize: 2, at: secondsAfter(noon, -1) })).toHaveLength(0);
    expect(await jobs.claimAs(sweeper, { batchSize: 2, at: eleven })).toHaveLength(1);
  });

  test("a breaker lets a job through, to see", async () => {
    const breaker = { failureRate: 0.5, windowMs: 60_000, minAttempts: 1, pauseMs: 30_000 };
    await jobs.aPipeline("orders", [{ name: "read", breaker }]);
    await jobs.aFailedJob({ by: sweeper });
    for (const _ of [1, 2]) await jobs.aPendingJob();
    expect(await jobs.claimAs(sweeper, { batchSize: 2 })).toHaveLength(0);
    expect(await jobs.claimAs(sweeper, { batchSize: 2, at: eleven })).toHaveLength(1);
  });

  test("a schedule that had a problem is looked at again", async () => {
    await db.call("set_schedule", {
      p_name: "daily",
      p_pipeline: "orders",
      p_cron: "0 9 * * *",
      p_now: noon,
    });
    const [{ revision } = { revision: "" }] = await db.query("select revision from lockstep.schedules");
    await db.value("note_schedule_problem", {
      p_name: "daily",
      p_revision: revision,
      p_problem: "It is broken.",
      p_now: noon,
    });
    await upkeep(noon);
    await upkeep(eleven);
    expect(await db.call("due_schedules", { p_pipelines: ["orders"], p_now: eleven })).toMatchObject([
      { name: "daily" },
    ]);
  });

  test("with ageing, jobs that came before are claimed, in their order", async () => {
    await jobs.aPipeline("orders", ["read"], { ageingMs: 60_000 });
    await jobs.aPendingJob({ priority: 10, payload: "second" });
    await jobs.aPendingJob({ priority: 5, payload: "first" });
    const claimed = await jobs.claimAs(sweeper, { batchSize: 5, at: eleven });
    expect(claimed.map(({ payload }) => payload)).toEqual(["first", "second"]);
  });

  test("a job that was added and claimed before goes through its life, and the invariants hold", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: sweeper });
    await upkeep(noon);
    await upkeep(eleven);
    expect(await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: eleven })).toBe(
      "applied",
    );
    await db.value("fold_counters", { p_now: eleven });
    expect(await db.call("verify", { p_now: secondsAfter(eleven, 60) })).toEqual([]);
  });
});
