import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const waits = (seconds: number) => db.call("read_stage_waits", { p_now: secondsAfter(noon, seconds) });

test("a stage where nothing waits says so, and how many live workers serve it", async () => {
  await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 60 });
  await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 10 });
  await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 600) });
  expect(await waits(5)).toEqual([
    { pipeline: "orders", stage: "read", live_workers: 2, pending_ms: null, overdue_ms: null },
  ]);
  expect(await waits(30)).toMatchObject([{ live_workers: 1 }]);
});

test("the longest wait is that of the oldest pending job, whatever its priority", async () => {
  await jobs.aPendingJob({ priority: 1, at: secondsAfter(noon, 10) });
  await jobs.aPendingJob({ priority: 20 });
  await jobs.aPendingJob({ priority: 10, at: secondsAfter(noon, 20) });
  expect(await waits(30)).toMatchObject([{ pending_ms: 30_000 }]);
});

test("a job that must run alone waits too", async () => {
  await jobs.aPendingJob();
  await db.query("update lockstep.jobs set suspect = true, losses = 2");
  expect(await waits(7)).toMatchObject([{ pending_ms: 7_000 }]);
});

test("a job that is due and that nobody has made pending is overdue", async () => {
  await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 10) });
  expect(await waits(25)).toMatchObject([{ pending_ms: null, overdue_ms: 15_000 }]);
});

test("jobs of groups wait too, each group by its oldest", async () => {
  const add = (groupKey: string, priority: number, seconds: number) =>
    db.call("add_jobs", {
      p_jobs: [{ pipeline: "orders", groupKey, priority }],
      p_now: secondsAfter(noon, seconds),
    });
  await add("a", 1, 20);
  await add("b", 1, 12);
  await add("a", 7, 30);
  await add("z", 7, 10);
  await jobs.aPendingJob({ at: secondsAfter(noon, 15) });
  expect(await waits(40)).toMatchObject([{ pending_ms: 30_000 }]);
});
