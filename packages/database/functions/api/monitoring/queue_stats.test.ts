import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

interface StatRow {
  pipeline: string;
  stage: string;
  status: string;
  jobs: string;
  paused: boolean;
}

async function stats(): Promise<Record<string, number>> {
  const rows = await db.call<StatRow>("queue_stats");
  return Object.fromEntries(
    rows
      .filter((row) => row.jobs !== "0")
      .map((row) => [`${row.pipeline}/${row.stage} ${row.status}`, Number(row.jobs)]),
  );
}

test("a pipeline without jobs has a row for each stage and status", async () => {
  const rows = await db.call<StatRow>("queue_stats");
  expect(rows).toHaveLength(14);
  expect(rows[0]).toEqual({
    pipeline: "orders",
    stage: "read",
    status: "scheduled",
    jobs: "0",
    paused: false,
  });
});

test("jobs are counted in their stage and status as they move", async () => {
  const worker = await jobs.aWorker({ leaseSeconds: 600 });
  await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) });
  await jobs.aPendingJob();
  expect(await stats()).toEqual({ "orders/read scheduled": 1, "orders/read pending": 1 });
  const [claimed] = await jobs.claimAs(worker);
  expect(await stats()).toEqual({ "orders/read scheduled": 1, "orders/read processing": 1 });
  await db.value("complete_job", { p_id: claimed?.id, p_claim_token: claimed?.claim_token, p_now: noon });
  expect(await stats()).toEqual({ "orders/read scheduled": 1, "orders/write pending": 1 });
  await db.value("cancel_job", { p_id: claimed?.id, p_now: noon });
  await jobs.aFailedJob({ by: worker });
  expect(await stats()).toEqual({
    "orders/read scheduled": 1,
    "orders/read failed": 1,
    "orders/write cancelled": 1,
  });
});

test("a paused stage is shown as paused", async () => {
  await db.value("pause_stage", { p_pipeline: "orders", p_stage: "write" });
  const rows = await db.call<StatRow>("queue_stats");
  expect(new Set(rows.filter(({ paused }) => paused).map(({ stage }) => stage))).toEqual(new Set(["write"]));
});

test("a stage that was left out is shown while it has jobs", async () => {
  await jobs.aPendingJob();
  await jobs.aPipeline("orders", ["write"]);
  const rows = await db.call<StatRow>("queue_stats");
  expect(rows.filter(({ stage }) => stage === "read")).toMatchObject([{ status: "pending", jobs: "1" }]);
});
