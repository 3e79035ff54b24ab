import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
});

const reading = { p_pipeline: "orders", p_stage: "read" };

test("a paused stage gives no claims until it is resumed", async () => {
  const id = await jobs.aPendingJob();
  expect(await db.value("pause_stage", { ...reading, p_now: noon })).toBe(true);
  expect(await jobs.claimAs(worker)).toEqual([]);
  expect(await db.value("resume_stage", { ...reading, p_now: noon })).toBe(true);
  expect(await jobs.claimAs(worker)).toMatchObject([{ id }]);
});

test("what runs in a paused stage runs on, and jobs still come in", async () => {
  const claimed = await jobs.aClaimedJob({ by: worker });
  await db.value("pause_stage", { p_pipeline: "orders", p_stage: "write", p_now: noon });
  await db.value("pause_stage", { ...reading, p_now: noon });
  const settle = { p_id: claimed.id, p_claim_token: claimed.claim_token, p_now: noon };
  expect(await db.value("complete_job", settle)).toBe("applied");
  expect(await jobs.read(claimed.id)).toMatchObject({ stage: "write", status: "pending" });
});

test("the other stages are not paused", async () => {
  await db.value("pause_stage", { p_pipeline: "orders", p_stage: "write" });
  const id = await jobs.aPendingJob();
  expect(await jobs.claimAs(worker)).toMatchObject([{ id }]);
});

test("pausing twice keeps the first time, and each says whether it changed anything", async () => {
  await db.value("pause_stage", { ...reading, p_now: noon });
  expect(await db.value("pause_stage", { ...reading, p_now: secondsAfter(noon, 9) })).toBe(false);
  expect(await db.query("select paused_at from lockstep.stages where paused_at is not null")).toEqual([
    { paused_at: noon },
  ]);
  expect(await db.value("resume_stage", reading)).toBe(true);
  expect(await db.value("resume_stage", reading)).toBe(false);
});

test.each(["pause_stage", "resume_stage"])("%s of an unknown stage is refused", async (name) => {
  await expect(db.value(name, { p_pipeline: "orders", p_stage: "pack" })).rejects.toMatchObject({
    code: "LS003",
    message: 'There is no stage "pack" in pipeline "orders".',
  });
});
