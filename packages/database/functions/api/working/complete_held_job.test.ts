import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
});

const complete = (claimed: Pick<ClaimedJob, "id" | "claim_token">, more: Record<string, unknown> = {}) =>
  db.value("complete_held_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_now: noon,
    ...more,
  });

test("it ends each stage as complete_job does, and keeps the attempt's log", async () => {
  const read = await jobs.aClaimedJob({ by: worker });
  await complete(read, { p_output: { pages: 2 }, p_log: [{ level: "info", message: "read" }] });
  expect(await jobs.read(read.id)).toMatchObject({
    status: "pending",
    stage: "write",
    outputs: { read: { pages: 2 } },
  });
  const [write] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (!write) throw new Error("The job has not advanced.");
  await complete(write, { p_output: "written" });
  expect(await jobs.read(read.id)).toMatchObject({
    status: "completed",
    result: "written",
    attempts: [
      { stage: "read", outcome: "done", log: [{ level: "info", message: "read" }] },
      { stage: "write", outcome: "done" },
    ],
  });
  expect(await db.call("verify")).toEqual([]);
});

describe("it raises, so that the transaction it is in cannot commit,", () => {
  test("when the claim is lost", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    await expect(complete(claimed)).rejects.toMatchObject({ code: "LS006" });
    await expect(complete({ id: claimed.id, claim_token: randomUUID() })).rejects.toMatchObject({
      code: "LS006",
    });
    await expect(complete({ id: randomUUID(), claim_token: randomUUID() })).rejects.toMatchObject({
      code: "LS006",
    });
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "pending", stage: "read" });
  });

  test("when the attempt was ended otherwise", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await db.value("fail_job", {
      p_id: claimed.id,
      p_claim_token: claimed.claim_token,
      p_error: {},
      p_now: noon,
    });
    await expect(complete(claimed)).rejects.toMatchObject({ code: "LS006" });
  });

  test("when it is called a second time, in the same transaction too", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await complete(claimed);
    await expect(complete(claimed)).rejects.toMatchObject({ code: "LS003" });
    const [write] = await jobs.claimAs(worker, { stage: "orders/write" });
    if (!write) throw new Error("The job has not advanced.");
    await db.query("begin");
    await complete(write);
    await expect(complete(write)).rejects.toMatchObject({ code: "LS003" });
    await db.query("rollback");
    await complete(write);
    await expect(complete(write)).rejects.toMatchObject({ code: "LS003" });
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "completed" });
  });

  test("when the output is over 1 MiB", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await expect(complete(claimed, { p_output: "x".repeat(1_048_576) })).rejects.toMatchObject({
      code: "LS001",
    });
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing" });
  });
});

test("while its transaction is open no sweep takes the job, and after a rollback it is held as before", async () => {
  const claimed = await jobs.aClaimedJob({ by: worker });
  const client = await db.connect();
  await client.query("begin");
  await client.query("select lockstep.complete_held_job($1, $2)", [claimed.id, claimed.claim_token]);
  const late = { p_now: secondsAfter(noon, 31) };
  expect(await db.call("sweep_lost_workers", late)).toMatchObject([{ lost_jobs: 0 }]);
  await client.query("rollback");
  expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing", worker_id: worker });
  expect(await db.call("sweep_lost_workers", late)).toMatchObject([{ lost_jobs: 1 }]);
});
