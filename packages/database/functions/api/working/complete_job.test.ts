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

const complete = (claimed: Pick<ClaimedJob, "id" | "claim_token">, output: unknown = null, at = noon) =>
  db.value<string>("complete_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_output: output,
    p_now: at,
  });

async function inLastStage(): Promise<ClaimedJob> {
  await complete(await jobs.aClaimedJob({ by: worker }), { pages: 2 });
  const [claimed] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (!claimed) throw new Error("The job is not in its last stage.");
  return claimed;
}

describe("a completed stage", () => {
  test("stores its output and makes the job pending in the next stage with fresh counters", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await db.value("report_progress", {
      p_id: id,
      p_claim_token: claim_token,
      p_percent: 50,
      p_note: "half",
    });
    expect(await complete({ id, claim_token }, { pages: 2 }, secondsAfter(noon, 3))).toBe("applied");
    expect(await jobs.read(id)).toMatchObject({
      status: "pending",
      stage: "write",
      attempt: 0,
      losses: 0,
      outputs: { read: { pages: 2 } },
      progress: null,
      progress_note: null,
      worker_id: null,
      claimed_at: null,
      attempts: [
        { stage: "read", attempt: 1, outcome: "done", workerId: worker, endedAt: expect.anything() },
      ],
    });
  });

  test("resets the attempts and losses that the stage had cost", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: {},
      p_retry_after: "0",
      p_now: noon,
    });
    await jobs.claimAs(worker);
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
    const [again] = await jobs.claimAs(other, { at: secondsAfter(noon, 31) });
    expect(again).toMatchObject({ id, attempt: 2 });
    await complete({ id, claim_token: String(again?.claim_token) }, null, secondsAfter(noon, 31));
    expect(await jobs.read(id)).toMatchObject({ stage: "write", attempt: 0, losses: 0 });
  });

  test("that is the last one finishes the job with its result", async () => {
    const claimed = await inLastStage();
    expect(await complete(claimed, "written", secondsAfter(noon, 5))).toBe("applied");
    expect(await jobs.read(claimed.id)).toMatchObject({
      status: "completed",
      stage: "write",
      result: "written",
      error: null,
      outputs: { read: { pages: 2 }, write: "written" },
      finished_at: secondsAfter(noon, 5),
      attempts: [{ outcome: "done" }, { stage: "write", attempt: 1, outcome: "done" }],
    });
    expect(await db.query("select 1 from lockstep.jobs")).toEqual([]);
  });

  test("may return nothing", async () => {
    const claimed = await inLastStage();
    await db.value("complete_job", { p_id: claimed.id, p_claim_token: claimed.claim_token, p_now: noon });
    expect(await jobs.read(claimed.id)).toMatchObject({ status: "completed", result: null });
  });
});

describe("the answer to a completion", () => {
  test("sent again is already_applied, after an advance and after the end", async () => {
    const first = await jobs.aClaimedJob({ by: worker });
    await complete(first);
    expect(await complete(first)).toBe("already_applied");
    const [second] = await jobs.claimAs(worker, { stage: "orders/write" });
    expect(await complete(first)).toBe("already_applied");
    expect(await jobs.read(first.id)).toMatchObject({ stage: "write", status: "processing" });
    expect(second && (await complete(second))).toBe("applied");
    expect(second && (await complete(second))).toBe("already_applied");
    expect(await complete(first)).toBe("already_applied");
  });

  test("under another job's token, an unknown one or none is lease_lost and changes nothing", async () => {
    const mine = await jobs.aClaimedJob({ by: worker });
    const other = await jobs.aClaimedJob({ by: worker });
    const before = await db.query("select * from lockstep.jobs order by id");
    for (const token of [other.claim_token, randomUUID(), null]) {
      expect(
        await db.value("complete_job", {
          p_id: mine.id,
          p_claim_token: token,
          p_output: "stolen",
          p_now: noon,
        }),
      ).toBe("lease_lost");
    }
    expect(await db.query("select * from lockstep.jobs order by id")).toEqual(before);
  });

  test("for a job that does not exist is lease_lost", async () => {
    expect(await complete({ id: randomUUID(), claim_token: randomUUID() })).toBe("lease_lost");
  });

  test("for a job that was swept is lease_lost, before and after another claims it", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    expect(await complete(claimed)).toBe("lease_lost");
    const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
    const [theirs] = await jobs.claimAs(other, { at: secondsAfter(noon, 31) });
    expect(await complete(claimed, "late")).toBe("lease_lost");
    expect(await jobs.read(claimed.id)).toMatchObject({
      status: "processing",
      worker_id: other,
      outputs: {},
    });
    expect(theirs && (await complete(theirs))).toBe("applied");
    expect(await complete(claimed, "late")).toBe("lease_lost");
  });

  test("while the worker's lease is over but nobody has swept it is still applied", async () => {
    const claimed = await jobs.aClaimedJob({ by: worker });
    expect(await complete(claimed, null, secondsAfter(noon, 300))).toBe("applied");
  });
});

test("an output of more than 1 MiB is refused, and the job stays held", async () => {
  const claimed = await jobs.aClaimedJob({ by: worker });
  await expect(complete(claimed, "x".repeat(1_048_576))).rejects.toMatchObject({ code: "LS001" });
  expect(await jobs.read(claimed.id)).toMatchObject({ status: "processing" });
  expect(await complete(claimed, "x".repeat(1_048_574))).toBe("applied");
});
