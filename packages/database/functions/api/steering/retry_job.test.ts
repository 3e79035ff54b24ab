import { randomUUID } from "node:crypto";
import {
  type ClaimedJob,
  JobFactory,
  noon,
  secondsAfter,
  testDatabase,
  untilBlocked,
} from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write", "send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const later = secondsAfter(noon, 10);
const retry = (id: string, fromStage?: string) =>
  db.call("retry_job", { p_id: id, p_from_stage: fromStage, p_now: later });
const applied = [{ answer: "applied", twin_id: null }];

async function advance(claimed: ClaimedJob | undefined, output: string, next: string): Promise<ClaimedJob> {
  await db.value("complete_job", {
    p_id: claimed?.id,
    p_claim_token: claimed?.claim_token,
    p_output: output,
    p_now: noon,
  });
  const [held] = await jobs.claimAs(worker, { stage: `orders/${next}` });
  if (!held) throw new Error(`The job is not in ${next}.`);
  return held;
}

/** A job that failed in its last stage, with the outputs of the two before. */
async function failedInSend(options: { dedupKey?: string } = {}): Promise<string> {
  const reading = await jobs.aClaimedJob({
    by: worker,
    priority: 4,
    tags: ["t"],
    payload: { n: 1 },
    ...options,
  });
  const sending = await advance(await advance(reading, "r", "write"), "w", "send");
  await db.value("fail_job", {
    p_id: sending.id,
    p_claim_token: sending.claim_token,
    p_error: { message: "broken" },
    p_retry: false,
    p_now: noon,
  });
  return sending.id;
}

describe("a retried job", () => {
  test("is pending again under its own id at the stage where it failed, as if it were new there", async () => {
    const id = await failedInSend();
    expect(await retry(id)).toEqual(applied);
    expect(await jobs.read(id)).toMatchObject({
      status: "pending",
      stage: "send",
      attempt: 0,
      losses: 0,
      priority: 4,
      tags: ["t"],
      payload: { n: 1 },
      outputs: { read: "r", write: "w" },
      error: null,
      finished_at: null,
      added_at: noon,
    });
    expect(await db.query("select 1 from lockstep.finished_jobs")).toEqual([]);
    expect(await jobs.claimAs(worker, { stage: "orders/send" })).toMatchObject([
      { id, attempt: 1, output: "w" },
    ]);
    expect(await db.call("verify", { p_now: later })).toEqual([]);
  });

  test("keeps the record of every attempt it had, and of the retry", async () => {
    const id = await failedInSend();
    await retry(id);
    expect(await jobs.read(id)).toMatchObject({
      attempts: [
        { stage: "read", outcome: "done" },
        { stage: "write", outcome: "done" },
        { stage: "send", outcome: "failed", error: { message: "broken" } },
        { stage: "send", outcome: "retried" },
      ],
    });
  });

  test("from an earlier stage loses the outputs of that stage and the later ones", async () => {
    const id = await failedInSend();
    expect(await retry(id, "write")).toEqual(applied);
    expect(await jobs.read(id)).toMatchObject({ stage: "write", outputs: { read: "r" } });
    expect(await db.call("verify", { p_now: later })).toEqual([]);
  });

  test("from the first stage keeps no output", async () => {
    const id = await failedInSend();
    await retry(id, "read");
    expect(await jobs.read(id)).toMatchObject({ stage: "read", outputs: {} });
  });

  test("has all its attempts and losses before it again", async () => {
    await jobs.aPipeline("letters", [{ name: "send", maxAttempts: 1, maxLosses: 1 }]);
    const letter = { pipeline: "letters", stage: "letters/send" };
    const { id } = await jobs.aClaimedJob({ by: worker, ...letter });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 601) });
    expect(await jobs.read(id)).toMatchObject({ status: "failed", losses: 1 });
    await retry(id);
    const other = await jobs.aWorker();
    const [claimed] = await jobs.claimAs(other, letter);
    expect(claimed).toMatchObject({ id, attempt: 1 });
    await db.value("fail_job", { p_id: id, p_claim_token: claimed?.claim_token, p_error: {}, p_now: noon });
    await retry(id);
    expect(await jobs.read(id)).toMatchObject({ status: "pending", attempt: 0, losses: 0 });
  });

  test("may have been cancelled while it waited", async () => {
    const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 3_600) });
    await db.value("cancel_job", { p_id: id, p_now: noon });
    expect(await retry(id)).toEqual(applied);
    expect(await jobs.read(id)).toMatchObject({
      status: "pending",
      scheduled_for: null,
      attempts: [{ outcome: "retried" }],
    });
  });

  test("runs a stage again whose end a cancel had met", async () => {
    const reading = await jobs.aClaimedJob({ by: worker });
    await db.value("cancel_job", { p_id: reading.id, p_now: noon });
    await db.value("complete_job", {
      p_id: reading.id,
      p_claim_token: reading.claim_token,
      p_output: 1,
      p_now: noon,
    });
    await retry(reading.id);
    expect(await jobs.read(reading.id)).toMatchObject({ stage: "read", outputs: {} });
    expect(await db.call("verify", { p_now: later })).toEqual([]);
  });

  test("does not grow without bound, however often it is retried", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    for (let round = 0; round < 70; round++) {
      await retry(id);
      const [claimed] = await jobs.claimAs(worker);
      const failure = {
        p_id: id,
        p_claim_token: claimed?.claim_token,
        p_error: {},
        p_retry: false,
        p_now: noon,
      };
      await db.value("fail_job", failure);
    }
    for (let round = 0; round < 20; round++) {
      await retry(id);
      await db.value("cancel_job", { p_id: id, p_now: noon });
    }
    expect((await jobs.read(id)).attempts).toHaveLength(100);
  });
});

describe("a job whose stage has left the pipeline", () => {
  test("is retried there with the outputs it had", async () => {
    const id = await failedInSend();
    await jobs.aPipeline("orders", ["read"]);
    expect(await retry(id)).toEqual(applied);
    expect(await jobs.read(id)).toMatchObject({ stage: "send", outputs: { read: "r", write: "w" } });
  });

  test("keeps the outputs of stages that have left when it is retried where it failed", async () => {
    const id = await failedInSend();
    await jobs.aPipeline("orders", ["read", "send"]);
    await retry(id);
    expect(await jobs.read(id)).toMatchObject({ stage: "send", outputs: { read: "r", write: "w" } });
  });

  test("cannot be retried from another stage that has left", async () => {
    const id = await failedInSend();
    await jobs.aPipeline("orders", ["read", "send"]);
    await expect(retry(id, "write")).rejects.toMatchObject({ code: "LS003" });
  });
});

describe("a retry is refused", () => {
  test("of a completed job", async () => {
    await jobs.aPipeline("letters", ["post"]);
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      pipeline: "letters",
      stage: "letters/post",
    });
    await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: noon });
    expect(await retry(id)).toEqual([{ answer: "not_finished", twin_id: null }]);
    expect(await jobs.read(id)).toMatchObject({ status: "completed" });
  });

  test("of a live job, and of one that does not exist", async () => {
    expect(await retry(await jobs.aPendingJob())).toEqual([{ answer: "not_finished", twin_id: null }]);
    expect(await retry(randomUUID())).toEqual([{ answer: "not_found", twin_id: null }]);
  });

  test("from a later stage than the one it ended in, or an unknown one", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    for (const stage of ["write", "pack"]) {
      await expect(retry(id, stage)).rejects.toMatchObject({
        code: "LS003",
        message: `Job ${id} ended in stage "read" of pipeline "orders" and cannot be retried from "${stage}".`,
      });
    }
    expect(await jobs.read(id)).toMatchObject({ status: "failed" });
  });

  test("while a live twin has its dedup key, and names that twin", async () => {
    const id = await failedInSend({ dedupKey: "k" });
    const twin = await jobs.aPendingJob({ dedupKey: "k" });
    expect(await retry(id)).toEqual([{ answer: "conflict", twin_id: twin }]);
    expect(await jobs.read(id)).toMatchObject({ status: "failed" });
    expect(await db.call("verify", { p_now: later })).toEqual([]);
    await db.value("cancel_job", { p_id: twin });
    expect(await retry(id)).toEqual(applied);
  });
});

test("of two people who retry a job at once one does it, and the other finds it live", async () => {
  const { id } = await jobs.aFailedJob({ by: worker });
  const [first, second] = [await db.connect(), await db.connect()];
  await first.query("begin");
  await first.query("select lockstep.retry_job($1)", [id]);
  const waiting = second.query("select answer from lockstep.retry_job($1)", [id]);
  await untilBlocked(db);
  await first.query("commit");
  expect((await waiting).rows).toEqual([{ answer: "not_finished" }]);
  expect(await db.call("verify")).toEqual([]);
});

describe("a retry of one version", () => {
  const retryIf = (id: string, version: unknown) =>
    db.call("retry_job", { p_id: id, p_if_version: version, p_now: later });
  const changed = [{ answer: "changed", twin_id: null }];

  test("is done to that version, and to no other", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    const { version } = await jobs.read(id);
    expect(await retryIf(id, "another")).toEqual(changed);
    expect(await jobs.read(id)).toMatchObject({ status: "failed", version });
    expect(await retryIf(id, version)).toEqual(applied);
    expect(await retryIf(id, version)).toEqual(changed);
    expect(await retryIf(randomUUID(), version)).toEqual([{ answer: "not_found", twin_id: null }]);
  });

  test("finds it changed where another person was faster", async () => {
    const { id } = await jobs.aFailedJob({ by: worker });
    const { version } = await jobs.read(id);
    const [first, second] = [await db.connect(), await db.connect()];
    await first.query("begin");
    await first.query("select lockstep.retry_job($1)", [id]);
    const waiting = second.query("select answer from lockstep.retry_job($1, p_if_version => $2)", [
      id,
      version,
    ]);
    await untilBlocked(db);
    await first.query("commit");
    expect((await waiting).rows).toEqual([{ answer: "changed" }]);
  });
});
