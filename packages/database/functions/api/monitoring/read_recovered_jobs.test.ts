import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", [{ name: "write", maxLosses: 1 }]);
});

const recovered = (at: Date) => db.call("read_recovered_jobs", { p_now: at });

/** A worker takes a job of each pipeline at noon and is found lost a minute later; one of the jobs may be lost only once. */
async function aLoss(): Promise<void> {
  const worker = await jobs.aWorker();
  await jobs.aClaimedJob({ by: worker });
  await jobs.aClaimedJob({ by: worker, pipeline: "letters", stage: "letters/write" });
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 60) });
}

test.each(["folded", "not folded yet"])(
  "jobs taken from lost workers are counted for an hour, with those that were failed by it (%s)",
  async (how) => {
    await aLoss();
    if (how === "folded") await db.value("fold_counters", { p_now: secondsAfter(noon, 70) });
    expect(await recovered(secondsAfter(noon, 61))).toEqual([{ recovered: "2", failed: "1" }]);
    expect(await recovered(secondsAfter(noon, 3_600))).toEqual([{ recovered: "2", failed: "1" }]);
    expect(await recovered(secondsAfter(noon, 3_720))).toEqual([{ recovered: "0", failed: "0" }]);
  },
);

test("jobs that a worker gave back or failed itself are not among them", async () => {
  const worker = await jobs.aWorker();
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.value("release_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
  await jobs.aFailedJob({ by: worker, pipeline: "letters", stage: "letters/write" });
  expect(await recovered(secondsAfter(noon, 1))).toEqual([{ recovered: "0", failed: "0" }]);
});
