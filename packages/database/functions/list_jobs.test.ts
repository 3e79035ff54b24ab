import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  await jobs.aPipeline("letters", ["send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const list = (args: object = {}) => db.call<{ id: string }>("list_jobs", { ...args });
const idsOf = async (args: object = {}) => (await list(args)).map(({ id }) => id);

describe("a list of jobs", () => {
  test("has live and finished ones, the newest first", async () => {
    const oldest = await jobs.aPendingJob();
    const failed = await jobs.aFailedJob({ by: worker, priority: 1, at: secondsAfter(noon, 1) });
    const newest = await jobs.aPendingJob({ at: secondsAfter(noon, 2) });
    expect(await idsOf()).toEqual([newest, failed.id, oldest]);
  });

  test("has a job's summary, without payload, outputs and the stack of its error", async () => {
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      payload: "secret",
      owner: "ada",
      dedupKey: "k",
      tags: ["t"],
    });
    await db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: { name: "Error", message: "broken", stack: "at line 1" },
      p_retry_after: "60 seconds",
      p_now: noon,
    });
    const [row] = await list();
    expect(row).toMatchObject({
      id,
      pipeline: "orders",
      stage: "read",
      status: "retrying",
      priority: 10,
      attempt: 1,
      losses: 0,
      owner: "ada",
      dedup_key: "k",
      tags: ["t"],
      added_at: noon,
      scheduled_for: secondsAfter(noon, 60),
      error: { name: "Error", message: "broken" },
    });
    expect(Object.keys(row ?? {})).not.toContain("payload");
    expect(JSON.stringify(row)).not.toMatch(/secret|at line 1/);
  });

  test("can be asked for by pipeline, stage, status, owner and tag", async () => {
    const failed = await jobs.aFailedJob({ by: worker, owner: "ada", at: noon });
    const moved = await jobs.aClaimedJob({ by: worker, at: noon });
    await db.value("complete_job", { p_id: moved.id, p_claim_token: moved.claim_token, p_now: noon });
    const mine = await jobs.aPendingJob({ owner: "ada", at: secondsAfter(noon, 1) });
    const tagged = await jobs.aPendingJob({ tags: ["a", "b"], at: secondsAfter(noon, 2) });
    const letter = await jobs.aPendingJob({ pipeline: "letters", at: secondsAfter(noon, 3) });

    expect(await idsOf({ p_pipeline: "letters" })).toEqual([letter]);
    expect(await idsOf({ p_pipeline: "orders", p_stage: "write" })).toEqual([moved.id]);
    expect(await idsOf({ p_status: "failed" })).toEqual([failed.id]);
    expect(await idsOf({ p_status: "pending", p_pipeline: "orders" })).toEqual([tagged, mine, moved.id]);
    expect(await idsOf({ p_owner: "ada" })).toEqual([mine, failed.id]);
    expect(await idsOf({ p_owner: "ada", p_status: "pending" })).toEqual([mine]);
    expect(await idsOf({ p_tag: "b" })).toEqual([tagged]);
    expect(await idsOf({ p_pipeline: "unknown" })).toEqual([]);
    expect(await idsOf({ p_owner: "bob" })).toEqual([]);
  });

  test("is paged by the last id seen, each job once", async () => {
    const added: string[] = [];
    for (let count = 0; count < 7; count++) {
      const at = secondsAfter(noon, count);
      const isFailed = count % 2 === 1;
      added.push(
        isFailed
          ? (await jobs.aFailedJob({ by: worker, at, priority: 1 })).id
          : await jobs.aPendingJob({ at, priority: 20 }),
      );
    }
    const seen: string[] = [];
    for (;;) {
      const page = await idsOf({ p_limit: 3, p_before: seen.at(-1) });
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(3);
      seen.push(...page);
    }
    expect(seen).toEqual(added.toReversed());
  });
});

describe("a list is refused", () => {
  test.each([[0], [201], [-1], [null]])("with a limit of %s", async (limit) => {
    await expect(list({ p_limit: limit })).rejects.toMatchObject({ code: "LS001" });
  });

  test("for a stage that the pipeline does not have", async () => {
    await expect(list({ p_pipeline: "orders", p_stage: "send" })).rejects.toMatchObject({ code: "LS003" });
  });

  test("for a status that there is not", async () => {
    await expect(list({ p_status: "stuck" })).rejects.toThrow(/stuck/);
  });
});
