import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const totals = () =>
  db.call<{ waits: string[]; runs: string[] } & Record<string, unknown>>("read_stage_totals");

async function aJobDoneIn(worker: string, seconds: number, at: Date): Promise<void> {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, at });
  await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: secondsAfter(at, seconds) });
}

test("a stage in which nothing happened has zeros", async () => {
  expect(await totals()).toMatchObject([
    { pipeline: "orders", stage: "read", entered: "0", lost: "0" },
    { pipeline: "orders", stage: "write", entered: "0" },
  ]);
  expect((await totals())[0]?.runs).toEqual(Array.from({ length: 30 }, () => "0"));
});

test("the numbers are the same before and after a fold, and grow over retention and retries", async () => {
  const worker = await jobs.aWorker({ leaseSeconds: 86_400 });
  await aJobDoneIn(worker, 1, noon);
  const unfolded = await totals();
  expect(unfolded).toMatchObject([
    { entered: "1", started: "1", advanced: "1" },
    { entered: "1", started: "0" },
  ]);
  await db.value("fold_counters", { p_now: noon });
  expect(await totals()).toEqual(unfolded);

  const { id } = await jobs.aFailedJob({ by: worker });
  await db.call("retry_job", { p_id: id, p_now: noon });
  await db.value("fold_counters", { p_now: noon });
  await db.value("delete_finished_jobs", { p_now: secondsAfter(noon, 60 * 86_400) });
  expect(await db.query("select from lockstep.stage_history")).toEqual([]);
  expect(await totals()).toMatchObject([{ entered: "3", started: "2", failed: "1" }, {}]);
});

test("attempts are sorted by how long they ran", async () => {
  const worker = await jobs.aWorker({ leaseSeconds: 86_400 });
  for (const seconds of [0.0005, 1, 1, 100]) await aJobDoneIn(worker, seconds, noon);
  const [read] = await totals();
  const filled = read?.runs.flatMap((jobs, index) => (jobs === "0" ? [] : [[index + 1, Number(jobs)]]));
  expect(filled).toEqual([
    [1, 1],
    [11, 2],
    [18, 1],
  ]);
});
