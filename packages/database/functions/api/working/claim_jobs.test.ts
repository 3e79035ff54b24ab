import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

describe("a claim", () => {
  test("takes a job for one worker under a fresh token and counts the attempt", async () => {
    const worker = await jobs.aWorker();
    const id = await jobs.aPendingJob({ payload: { number: 7 } });
    const [claimed] = await jobs.claimAs(worker, { at: secondsAfter(noon, 1) });
    expect(claimed).toEqual({
      id,
      pipeline: "orders",
      stage: "read",
      claim_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attempt: 1,
      payload: { number: 7 },
      output: null,
    });
    expect(await jobs.read(id)).toMatchObject({
      status: "processing",
      attempt: 1,
      worker_id: worker,
      claimed_at: secondsAfter(noon, 1),
      attempts: [{ stage: "read", attempt: 1, outcome: "processing", workerId: worker }],
    });
  });

  test("brings the output of the stage before", async () => {
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
    await db.value("complete_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_output: { pages: 2 },
      p_now: noon,
    });
    expect(await jobs.claimAs(worker, { stage: "orders/write" })).toMatchObject([
      { id, stage: "write", attempt: 1, output: { pages: 2 } },
    ]);
  });

  test("gives a new token each time", async () => {
    const worker = await jobs.aWorker();
    const first = await jobs.aClaimedJob({ by: worker });
    await db.value("release_job", { p_id: first.id, p_claim_token: first.claim_token, p_now: noon });
    const [second] = await jobs.claimAs(worker);
    expect(second?.id).toBe(first.id);
    expect(second?.claim_token).not.toBe(first.claim_token);
  });

  test("takes no more than its batch size", async () => {
    for (let job = 0; job < 5; job++) await jobs.aPendingJob();
    const worker = await jobs.aWorker();
    expect(await jobs.claimAs(worker, { batchSize: 3 })).toHaveLength(3);
    expect(await jobs.claimAs(worker, { batchSize: 3 })).toHaveLength(2);
    expect(await jobs.claimAs(worker, { batchSize: 3 })).toEqual([]);
  });

  test("looks at several stages up to one batch size", async () => {
    await jobs.aPipeline("letters", ["send"]);
    await jobs.aPendingJob();
    await jobs.aPendingJob({ pipeline: "letters" });
    await jobs.aPendingJob({ pipeline: "letters" });
    const claimed = await db.call("claim_jobs", {
      p_worker_id: await jobs.aWorker(),
      p_stages: ["orders/read", "orders/write", "letters/send"],
      p_batch_size: 2,
      p_now: noon,
    });
    expect(claimed.map(({ pipeline }) => pipeline)).toEqual(["orders", "letters"]);
  });

  test("takes the most urgent first, and inside a priority the first come", async () => {
    const order: string[] = [];
    for (const priority of [20, 10, 1, 10, 5, 1]) order.push(await jobs.aPendingJob({ priority }));
    const worker = await jobs.aWorker();
    const claimed = [
      ...(await jobs.claimAs(worker, { batchSize: 2 })),
      ...(await jobs.claimAs(worker, { batchSize: 4 })),
    ];
    expect(claimed.map(({ id }) => id)).toEqual([2, 5, 4, 1, 3, 0].map((index) => order[index]));
  });

  test("puts a job that comes back behind those of its priority", async () => {
    const worker = await jobs.aWorker();
    const first = await jobs.aClaimedJob({ by: worker });
    const second = await jobs.aPendingJob();
    await db.value("release_job", { p_id: first.id, p_claim_token: first.claim_token, p_now: noon });
    const claimed = await jobs.claimAs(worker, { batchSize: 2 });
    expect(claimed.map(({ id }) => id)).toEqual([second, first.id]);
  });

  test("leaves jobs of other stages, of paused stages, held jobs and jobs that are not due", async () => {
    const worker = await jobs.aWorker();
    await jobs.aPipeline("letters", ["send"]);
    await jobs.aClaimedJob({ by: worker });
    await jobs.aPendingJob({ pipeline: "letters" });
    await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) });
    expect(await jobs.claimAs(worker, { batchSize: 9 })).toEqual([]);

    await jobs.aPendingJob();
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    expect(await jobs.claimAs(worker, { batchSize: 9 })).toEqual([]);
  });

  test("promotes what is due by then, in the order of its times", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 600 });
    const later = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) });
    const sooner = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 30) });
    const claimed = await jobs.claimAs(worker, { batchSize: 9, at: secondsAfter(noon, 60) });
    expect(claimed.map(({ id }) => id)).toEqual([sooner, later]);
  });

  test("leaves a job that another transaction has locked to that one", async () => {
    const first = await jobs.aPendingJob();
    const second = await jobs.aPendingJob();
    const other = await db.connect();
    await other.query("begin");
    await other.query("select from lockstep.jobs where id = $1 for update", [first]);
    expect(await jobs.claimAs(await jobs.aWorker(), { batchSize: 9 })).toMatchObject([{ id: second }]);
    await other.query("rollback");
  });
});

describe("a claim is refused", () => {
  test("to a worker that is not registered", async () => {
    await expect(jobs.claimAs(randomUUID())).rejects.toMatchObject({ code: "LS004" });
  });

  test("to a worker whose lease is over, swept or not", async () => {
    const worker = await jobs.aWorker();
    await jobs.aPendingJob();
    await expect(jobs.claimAs(worker, { at: secondsAfter(noon, 30) })).rejects.toMatchObject({
      code: "LS004",
    });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
    await expect(jobs.claimAs(worker, { at: secondsAfter(noon, 31) })).rejects.toMatchObject({
      code: "LS004",
    });
  });

  test("for a stage that nobody defined", async () => {
    await expect(jobs.claimAs(await jobs.aWorker(), { stage: "orders/pack" })).rejects.toMatchObject({
      code: "LS003",
      message: 'There is no stage "pack" in pipeline "orders".',
    });
  });

  test.each([[0], [-1], [10_001], [null]])("for a batch of %s", async (batchSize) => {
    await expect(
      db.call("claim_jobs", { p_worker_id: await jobs.aWorker(), p_stages: [], p_batch_size: batchSize }),
    ).rejects.toMatchObject({ code: "LS001" });
  });
});
