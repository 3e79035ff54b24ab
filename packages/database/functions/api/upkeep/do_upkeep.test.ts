import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: Record<string, number>;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "write"]);
});

async function upkeep(worker: string, at: Date, more: object = {}) {
  const [answer] = await db.call("do_upkeep", { p_worker_id: worker, p_now: at, ...more });
  return answer;
}

async function aSleeper(serves: string[], waits: string[]): Promise<string> {
  const worker = await jobs.aWorker({ leaseSeconds: 60, serves: serves.map((stage) => `orders/${stage}`) });
  await db.value("wait_for_jobs", {
    p_worker_id: worker,
    p_stage_ids: waits.map((stage) => stageIds[stage]),
  });
  return worker;
}

describe("do_upkeep", () => {
  test("takes back the jobs of a lost worker, once in the interval over all callers", async () => {
    await jobs.aClaimedJob({ by: await jobs.aWorker({ leaseSeconds: 5 }) });
    const [first, second] = [await aSleeper(["read"], []), await aSleeper(["read"], [])];
    expect(await upkeep(first, noon)).toMatchObject({ has_swept: true, lost_workers: 0, lost_jobs: 0 });
    expect(await upkeep(second, secondsAfter(noon, 4.9))).toMatchObject({
      has_swept: false,
      lost_workers: 0,
    });
    expect(await upkeep(second, secondsAfter(noon, 6))).toMatchObject({
      has_swept: true,
      lost_workers: 1,
      lost_jobs: 1,
    });
    expect(await upkeep(first, secondsAfter(noon, 6))).toMatchObject({
      has_swept: false,
      lost_workers: 0,
      lost_jobs: 0,
    });
  });

  test("says what else is due, and leaves it to the functions for that", async () => {
    const worker = await aSleeper(["read"], []);
    expect(await upkeep(worker, noon)).toMatchObject({ is_fold_due: true, is_retention_due: true });
    await db.value("fold_counters", { p_now: noon });
    expect(await upkeep(worker, secondsAfter(noon, 14))).toMatchObject({ is_fold_due: false });
    expect(await upkeep(worker, secondsAfter(noon, 15))).toMatchObject({ is_fold_due: true });
    await db.value("delete_finished_jobs", { p_now: noon });
    expect(await upkeep(worker, secondsAfter(noon, 3_599))).toMatchObject({ is_retention_due: false });
    expect(await upkeep(worker, secondsAfter(noon, 3_600))).toMatchObject({ is_retention_due: true });
  });
});

describe("the company of a worker", () => {
  test("are those alive, and of them those that sleep for all it works on", async () => {
    const worker = await aSleeper(["read"], ["read"]);
    await aSleeper(["read", "write"], ["read", "write"]);
    await aSleeper(["read", "write"], ["write"]);
    await aSleeper(["read"], []);
    expect(await upkeep(worker, noon)).toMatchObject({ workers: 4, sleepers: 2 });
  });

  test("is not made of those whose lease is over", async () => {
    const worker = await aSleeper(["read"], ["read"]);
    await aSleeper(["read"], ["read"]);
    await db.query("update lockstep.workers set lease_until = $1 where id <> $2", [noon, worker]);
    expect(await upkeep(worker, secondsAfter(noon, 1))).toMatchObject({ workers: 1, sleepers: 1 });
  });

  test("is nobody for a worker that is not on the list", async () => {
    await aSleeper(["read"], ["read"]);
    const stranger = "00000000-0000-4000-8000-000000000000";
    expect(await upkeep(stranger, noon)).toMatchObject({ workers: 0, sleepers: 0 });
  });
});
