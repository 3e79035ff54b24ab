import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("report", ["write", "send"]);
  worker = await jobs.aWorker({ serves: ["orders/read", "report/write"] });
});

async function aBatch(follower?: unknown): Promise<{ id: string; follower_id: string }> {
  const [batch] = await db.call<{ id: string; follower_id: string }>("open_batch", {
    p_follower: follower,
    p_now: noon,
  });
  if (!batch) throw new Error("open_batch gave no row.");
  return batch;
}

async function joins(batchId: string, count: number, more: object = {}): Promise<string[]> {
  const given = Array.from({ length: count }, () => ({ pipeline: "orders", batchId, ...more }));
  const added = await db.call<{ id: string }>("add_jobs", { p_jobs: given, p_now: noon });
  return added.map(({ id }) => id);
}

const batch = async (id: string) => (await db.call("get_batch", { p_id: id }))[0];
const close = (id: string) => db.value("close_batch", { p_id: id, p_now: secondsAfter(noon, 1) });

async function complete(count: number): Promise<void> {
  for (const { id, claim_token } of await jobs.claimAs(worker, { batchSize: count })) {
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: { id }, p_now: noon });
  }
}

describe("a batch", () => {
  test("counts what joins it and what became of that, and is finished when it is closed and all have ended", async () => {
    const { id } = await aBatch();
    const ids = await joins(id, 3);
    await complete(2);
    expect(await batch(id)).toMatchObject({ state: "open", total: 3, completed: 2, failed: 0 });
    ids.push(...(await joins(id, 1)));
    expect(await close(id)).toBe("closed");
    expect(await close(id)).toBe("already_closed");
    expect(await batch(id)).toMatchObject({ state: "closed", total: 4, finished_at: null });
    await complete(2);
    expect(await batch(id)).toMatchObject({ state: "finished", total: 4, completed: 4 });
    const results = await db.call<{ id: string }>("batch_results", { p_id: id, p_limit: 3 });
    const [first = ""] = ids.sort();
    expect(results[0]).toEqual({ id: first, status: "completed", result: { id: first }, error: null });
    expect(await db.call("batch_results", { p_id: id, p_after: results[2]?.id })).toHaveLength(1);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("that is closed after its last job ended is finished then, and an empty one at once", async () => {
    const { id } = await aBatch();
    await joins(id, 1);
    await complete(1);
    await close(id);
    expect(await batch(id)).toMatchObject({ state: "finished" });
    const empty = await aBatch({ pipeline: "report" });
    await close(empty.id);
    expect(await jobs.read(empty.follower_id)).toMatchObject({ status: "pending" });
  });

  test("does not count a twin that was there before, nor the same job added again", async () => {
    await jobs.aPendingJob({ dedupKey: "one" });
    const { id } = await aBatch();
    await joins(id, 1, { dedupKey: "one" });
    const again = { id: randomUUID() };
    await joins(id, 1, again);
    await joins(id, 1, again);
    expect(await batch(id)).toMatchObject({ total: 1 });
  });

  test("refuses jobs once it is closed, and jobs of a batch that is not there are refused", async () => {
    const { id } = await aBatch();
    await close(id);
    await expect(joins(id, 1)).rejects.toMatchObject({ code: "LS003", message: /is closed/ });
    await expect(joins(randomUUID(), 1)).rejects.toMatchObject({ code: "LS001", message: /no batch/ });
    expect(await db.value("close_batch", { p_id: randomUUID() })).toBe("not_found");
  });

  test("counts a job through all its stages once", async () => {
    const { id } = await aBatch();
    await joins(id, 1, { pipeline: "report" });
    await close(id);
    for (const stage of ["report/write", "report/send"]) {
      expect(await batch(id)).toMatchObject({ state: "closed", total: 1, completed: 0 });
      const [job] = await jobs.claimAs(worker, { stage });
      await db.value("complete_job", { p_id: job?.id, p_claim_token: job?.claim_token, p_now: noon });
    }
    expect(await batch(id)).toMatchObject({ state: "finished", total: 1, completed: 1 });
  });

  test("counts the failed, the cancelled and the lost, each once", async () => {
    await jobs.aPipeline("orders", [{ name: "read", maxLosses: 1 }]);
    const { id } = await aBatch();
    await joins(id, 3);
    await close(id);
    const [failing, lost] = await jobs.claimAs(worker, { batchSize: 2 });
    const fail = {
      p_id: failing?.id,
      p_claim_token: failing?.claim_token,
      p_error: {},
      p_retry: false,
      p_now: noon,
    };
    await db.value("fail_job", fail);
    expect(await db.value("fail_job", fail)).toBe("already_applied");
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    expect(await jobs.read(lost?.id ?? "")).toMatchObject({ status: "failed" });
    expect(await batch(id)).toMatchObject({ state: "closed", failed: 2 });
    const [waiting] = await db.call<{ id: string }>("list_jobs", { p_filter: { statuses: ["pending"] } });
    expect(await db.value("cancel_job", { p_id: waiting?.id })).toBe("cancelled");
    expect(await batch(id)).toMatchObject({ state: "finished", total: 3, failed: 2, cancelled: 1 });
    expect(await db.call("verify", { p_now: secondsAfter(noon, 31) })).toEqual([]);
  });

  test("is not finished any more when a person retries one of its jobs, and finishes again without a second follower", async () => {
    const { id, follower_id } = await aBatch({ pipeline: "report" });
    const [only = ""] = await joins(id, 1);
    await close(id);
    await db.value("cancel_job", { p_id: only, p_now: noon });
    expect(await jobs.read(follower_id)).toMatchObject({ status: "pending" });
    const [follower] = await jobs.claimAs(worker, { stage: "report/write" });
    await db.call("retry_job", { p_id: only, p_now: noon });
    expect(await batch(id)).toMatchObject({ state: "closed", total: 1, cancelled: 0 });
    await complete(1);
    expect(await batch(id)).toMatchObject({ state: "finished", completed: 1, cancelled: 0 });
    expect(await jobs.read(follower_id)).toMatchObject({ status: "processing", attempt: 1 });
    expect(follower?.id).toBe(follower_id);
  });

  test("is forgotten when the last of its jobs is", async () => {
    const { id } = await aBatch();
    await close(id);
    const days = (n: number) => secondsAfter(noon, n * 86_400);
    await db.value("delete_finished_jobs", { p_now: days(29) });
    expect(await batch(id)).toBeDefined();
    await db.value("delete_finished_jobs", { p_now: days(31) });
    expect(await batch(id)).toBeUndefined();
  });
});

describe("the job that follows a batch", () => {
  test("waits from the start, says for what, and is pending with the last end", async () => {
    const { id, follower_id } = await aBatch({ pipeline: "report", payload: { of: "orders" }, priority: 3 });
    await joins(id, 2);
    expect(await jobs.read(follower_id)).toMatchObject({ status: "scheduled", scheduled_for: null });
    expect(await db.call("explain_job", { p_id: follower_id, p_now: noon })).toEqual([
      {
        reason: "waits_for_batch",
        explanation:
          `It waits for the jobs of batch ${id}: 2 of 2 left, 0 completed, 0 failed, 0 cancelled.` +
          " The batch is still open: it cannot finish before close_batch.",
        detail: { batchId: id, total: 2, completed: 0, failed: 0, cancelled: 0 },
      },
    ]);
    await close(id);
    await complete(1);
    // Whatever the time, no claim promotes it.
    const later = secondsAfter(noon, 29);
    expect(await jobs.claimAs(worker, { stage: "report/write", at: later })).toEqual([]);
    await complete(1);
    expect(await jobs.claimAs(worker, { stage: "report/write" })).toMatchObject([
      { id: follower_id, payload: { of: "orders" } },
    ]);
    expect(await db.call("children_of", { p_job_id: follower_id })).toHaveLength(2);
  });

  test("wakes a sleeping worker when it becomes pending", async () => {
    const { id } = await aBatch({ pipeline: "report" });
    await joins(id, 1);
    await close(id);
    const stageIds = await jobs.aPipeline("report", ["write", "send"]);
    const listener = await db.connect();
    const heard = new Promise((resolve) => listener.on("notification", resolve));
    await listener.query(`listen "${db.schema}_${worker.replaceAll("-", "")}"`);
    await db.value("register_worker", { p_worker_id: worker, p_name: "w", p_lease: "1 hour" });
    await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.write] });
    await complete(1);
    await heard;
  });

  test("is refused with the batch when it cannot be added", async () => {
    await expect(aBatch({ pipeline: "reprot" })).rejects.toMatchObject({ code: "LS002" });
    await expect(aBatch({ pipeline: "report", dedupKey: "a" })).rejects.toMatchObject({
      code: "LS001",
      message: /takes no "dedupKey"/,
    });
    const id = await jobs.aPendingJob();
    await expect(aBatch({ pipeline: "report", id })).rejects.toMatchObject({ message: /there is a job/ });
    expect(await db.query("select from lockstep.batches")).toEqual([]);
  });

  test("of a batch that is there already is not added again", async () => {
    const { id, follower_id } = await aBatch({ pipeline: "report" });
    expect(await db.call("open_batch", { p_id: id, p_follower: { pipeline: "report" } })).toEqual([
      { id, created: false, follower_id },
    ]);
    expect(await db.call("list_jobs", { p_filter: { pipeline: "report" } })).toHaveLength(1);
  });

  test("that was cancelled and is retried waits again while the batch goes on", async () => {
    const { id, follower_id } = await aBatch({ pipeline: "report" });
    await joins(id, 1);
    await close(id);
    await db.value("cancel_job", { p_id: follower_id, p_now: noon });
    await db.call("retry_job", { p_id: follower_id, p_now: noon });
    expect(await jobs.read(follower_id)).toMatchObject({ status: "scheduled" });
    await complete(1);
    expect(await jobs.read(follower_id)).toMatchObject({ status: "pending" });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });
});

test("verify tells of a batch whose counters differ from the rows, and of a job that waits for none", async () => {
  const { id, follower_id } = await aBatch({ pipeline: "report" });
  await joins(id, 1);
  await db.query("update lockstep.batches set total = 0");
  expect(await db.call("verify", { p_now: noon })).toMatchObject([{ invariant: "V19", job_id: null }]);
  await db.query("update lockstep.batches set closed_at = now()");
  await db.query("delete from lockstep.jobs where batch_id is not null");
  await db.query("delete from lockstep.stage_moves where moved_to = 'pending'");
  expect(await db.call("verify", { p_now: noon })).toMatchObject([{ invariant: "V20", job_id: follower_id }]);
  await db.query("delete from lockstep.batches");
  expect(await db.call("verify", { p_now: noon })).toMatchObject([{ invariant: "V20", job_id: follower_id }]);
});
