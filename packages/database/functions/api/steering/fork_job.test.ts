import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write", "send"]);
  worker = await jobs.aWorker({ serves: ["orders/read", "orders/write", "orders/send"] });
});

const fork = (id: string, more: object = {}) =>
  db.call<{ answer: string; id: string | null }>("fork_job", {
    ...{ p_id: id, p_now: secondsAfter(noon, 9) },
    ...more,
  });

async function aCompletedJob(more: object = {}): Promise<string> {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, stage: "orders/read", ...more });
  let token = claim_token;
  for (const stage of ["read", "write", "send"]) {
    await db.value("complete_job", { p_id: id, p_claim_token: token, p_output: stage, p_now: noon });
    const [next] = await jobs.claimAs(worker, { stage: stage === "read" ? "orders/write" : "orders/send" });
    token = (next as ClaimedJob | undefined)?.claim_token ?? "";
  }
  return id;
}

describe("a fork", () => {
  test("of a completed job runs it again from a stage as a new job, with what came before", async () => {
    const id = await aCompletedJob({
      ...{ owner: "ada", tags: ["big"], dedupKey: "k", priority: 4 },
      payload: { n: 1 },
    });
    const [forked] = await fork(id, { p_from_stage: "write" });
    expect(forked?.answer).toBe("forked");
    expect(await jobs.read(forked?.id ?? "")).toMatchObject({
      ...{ stage: "write", status: "pending", payload: { n: 1 }, outputs: { read: "read" }, forked_from: id },
      ...{ owner: "ada", tags: ["big"], priority: 4, dedup_key: null, attempt: 0 },
    });
    expect(await jobs.read(id)).toMatchObject({ status: "completed", result: "send", forked_from: null });
    expect(await jobs.claimAs(worker, { stage: "orders/write" })).toMatchObject([{ id: forked?.id }]);
    const events = await db.query("select kind from lockstep.events where job_id = $1", [forked?.id]);
    expect(events[0]).toMatchObject({ kind: "job.added" });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("begins at the first stage unless one is chosen", async () => {
    const [forked] = await fork(await aCompletedJob());
    expect(await jobs.read(forked?.id ?? "")).toMatchObject({ stage: "read", outputs: {} });
  });

  test("that is sent again under its id is one job", async () => {
    const id = await aCompletedJob();
    const newId = randomUUID();
    expect(await fork(id, { p_new_id: newId })).toEqual([{ answer: "forked", id: newId }]);
    expect(await fork(id, { p_new_id: newId })).toEqual([{ answer: "forked", id: newId }]);
    expect(await db.query("select count(*)::integer from lockstep.jobs")).toEqual([{ count: 1 }]);
  });

  test("of a failed job is possible up to where it failed, and of a live or unknown one is not", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, stage: "orders/read" });
    expect(await fork(id)).toEqual([{ answer: "not_finished", id: null }]);
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: {},
      p_retry: false,
      p_now: noon,
    });
    await expect(fork(id, { p_from_stage: "write" })).rejects.toMatchObject({ code: "LS003" });
    await expect(fork(id, { p_from_stage: "none" })).rejects.toMatchObject({ code: "LS003" });
    expect(await fork(id, { p_from_stage: "read" })).toMatchObject([{ answer: "forked" }]);
    expect(await fork(randomUUID())).toEqual([{ answer: "not_found", id: null }]);
  });

  test("is refused when the job has changed, or its pipeline is full", async () => {
    const id = await aCompletedJob();
    expect(await fork(id, { p_if_version: "other" })).toEqual([{ answer: "changed", id: null }]);
    await db.query("update lockstep.pipelines set max_pending = 1");
    await fork(id);
    await expect(fork(id)).rejects.toMatchObject({ code: "LS005" });
  });

  test("is forgotten with the actions of its time", async () => {
    const [forked] = await fork(await aCompletedJob());
    await db.value("delete_old_actions", { p_keep: "1 day", p_now: secondsAfter(noon, 100_000) });
    expect(await jobs.read(forked?.id ?? "")).toMatchObject({ forked_from: null });
  });

  test("into a wait begins it at once, whatever branches of the old job run again", async () => {
    const approval = { name: "approval", kind: "wait", waitMs: 60_000 };
    await jobs.aPipeline("talks", ["ask", approval, "tell"]);
    await jobs.aPipeline("leaf", [{ name: "grow", maxAttempts: 1 }]);
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, pipeline: "talks", stage: "talks/ask" });
    await db.value("fan_out_job", {
      ...{ p_id: id, p_claim_token: claim_token, p_returns: "branches", p_on_failure: "ignore", p_now: noon },
      p_children: [{ pipeline: "leaf", branch: "leaf" }],
    });
    const [leaf] = await jobs.claimAs(worker, { stage: "leaf/grow" });
    await db.value("fail_job", {
      p_id: leaf?.id,
      p_claim_token: leaf?.claim_token,
      p_error: {},
      p_now: noon,
    });
    expect(await db.value("cancel_job", { p_id: id, p_now: noon })).toBe("cancelled");
    expect(await db.call("retry_job", { p_id: leaf?.id, p_now: noon })).toMatchObject([
      { answer: "applied" },
    ]);

    const [forked] = await fork(id, { p_from_stage: "approval" });
    expect(await jobs.read(forked?.id ?? "")).toMatchObject({ wait: { signal: "approval" } });
    expect(
      await db.value("signal_job", { p_id: forked?.id, p_name: "approval", p_value: 1, p_now: noon }),
    ).toBe("signalled");
  });
});
