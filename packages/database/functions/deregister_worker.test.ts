import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

test("a worker that holds nothing leaves the list, and the others stay", async () => {
  const [leaving, staying] = [await jobs.aWorker(), await jobs.aWorker()];
  await db.value("deregister_worker", { p_worker_id: leaving, p_now: noon });
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    { worker_id: staying, alive: true },
  ]);
});

test("what a worker still holds when it leaves is swept at once, though its lease has not ended", async () => {
  const worker = await jobs.aWorker();
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
  expect(await db.call("active_workers", { p_now: noon })).toMatchObject([
    { worker_id: worker, alive: false },
  ]);
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 1) });
  expect(await jobs.read(id)).toMatchObject({ status: "pending", losses: 1 });
});

test("a worker that leaves twice, or was never there, is no error", async () => {
  const worker = await jobs.aWorker();
  await db.value("deregister_worker", { p_worker_id: worker });
  await db.value("deregister_worker", { p_worker_id: worker });
});
