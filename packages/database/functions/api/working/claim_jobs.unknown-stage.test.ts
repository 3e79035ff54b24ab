import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

test("a worker is given jobs only of the stages it names", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read", "orders/write"] });
  await jobs.aPendingJob();
  expect(await jobs.claimAs(worker, { stage: "orders/write", batchSize: 100 })).toEqual([]);
  await expect(jobs.claimAs(worker, { stage: "orders/ship" })).rejects.toMatchObject({ code: "LS003" });
  expect(await jobs.claimAs(worker, { stage: "orders/read" })).toHaveLength(1);
});

test("a stage put in between waits for a worker that knows it, however the job gets there", async () => {
  const old = await jobs.aPipeline("orders", ["read", "write"]);
  const worker = await jobs.aWorker({ leaseSeconds: 600 });
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await jobs.aPipeline("orders", ["read", "check", "write"]);

  // The old worker asks to go on with what its code believes to be the next stage.
  const rows = await db.call("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: "0190a000-0000-4000-8000-000000000001",
    p_ids: [id],
    p_tokens: [claim_token],
    p_ends: [{ value: "read", keepIn: old.write }],
    p_stage_ids: [old.read, old.write],
    p_rooms: [10, 10],
    p_places: Array.from({ length: 40 }, () => 0),
    p_scans: [2, 2],
    p_due_after: [null, null],
    p_now: "2026-01-01T12:00:00Z",
  });
  expect(rows.filter(({ kind }) => kind === "claimed")).toEqual([]);
  expect(await jobs.read(id)).toMatchObject({ stage: "check", status: "pending" });
});
