import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

test("each worker is shown with what it holds", async () => {
  const busy = await jobs.aWorker({ name: "busy", serves: ["orders/write", "orders/read"] });
  const idle = await jobs.aWorker({ name: "idle", at: secondsAfter(noon, 1) });
  await jobs.aClaimedJob({ by: busy, at: secondsAfter(noon, 1) });
  await jobs.aClaimedJob({ by: busy, at: secondsAfter(noon, 9) });
  expect(await db.call("active_workers", { p_now: secondsAfter(noon, 10) })).toMatchObject([
    {
      worker_id: busy,
      name: "busy",
      alive: true,
      stages: ["orders/read", "orders/write"],
      active_jobs: "2",
      oldest_job: secondsAfter(noon, 1),
      newest_job: secondsAfter(noon, 9),
    },
    {
      worker_id: idle,
      name: "idle",
      alive: true,
      stages: [],
      active_jobs: "0",
      oldest_job: null,
      newest_job: null,
    },
  ]);
});

test("a worker is alive until its lease is over", async () => {
  await jobs.aWorker();
  expect(await db.call("active_workers", { p_now: secondsAfter(noon, 29) })).toMatchObject([{ alive: true }]);
  expect(await db.call("active_workers", { p_now: secondsAfter(noon, 30) })).toMatchObject([
    { alive: false },
  ]);
});
