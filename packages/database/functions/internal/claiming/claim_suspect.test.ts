import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let read: number;

beforeEach(async () => {
  await db.reset();
  read = (await jobs.aPipeline("orders", ["read"])).read ?? 0;
});

let clock = 0;
beforeEach(() => {
  clock = 0;
});

const now = () => secondsAfter(noon, clock);

/** A worker claims this many jobs and dies; comes back with what it held. */
async function aWorkerDies(batchSize = 1): Promise<ClaimedJob[]> {
  const worker = await jobs.aWorker({ at: now(), serves: ["orders/read"] });
  const held = await jobs.claimAs(worker, { at: now(), batchSize });
  clock += 31;
  await db.call("sweep_lost_workers", { p_now: now() });
  return held;
}

async function aSuspect(): Promise<string> {
  const id = await jobs.aPendingJob();
  await aWorkerDies();
  await aWorkerDies();
  return id;
}

const worker = (id?: string) => jobs.aWorker({ id, at: now(), serves: ["orders/read"], leaseSeconds: 60 });
const claim = (workerId: string, batchSize = 10) => jobs.claimAs(workerId, { at: now(), batchSize });
const look = (workerId: string, room = 5) =>
  db.call<{ kind: string; id: string }>("settle_and_claim", {
    p_worker_id: workerId,
    p_claim_token: null,
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [read],
    p_rooms: [room],
    p_places: Array.from({ length: 20 }, () => "0"),
    p_scans: [2],
    p_due_after: [null],
    p_now: now(),
  });

describe("a job that was lost twice", () => {
  test("is claimed alone, before the jobs that wait beside it", async () => {
    const suspect = await aSuspect();
    await jobs.aPendingJob({ priority: 1 });
    expect((await claim(await worker())).map(({ id }) => id)).toEqual([suspect]);
  });

  test("keeps its worker from claiming anything else while it runs", async () => {
    const suspect = await aSuspect();
    const alone = await worker();
    const [claimed] = await claim(alone);
    const other = await jobs.aPendingJob();
    expect(await claim(alone)).toEqual([]);
    await db.value("complete_job", { p_id: suspect, p_claim_token: claimed?.claim_token, p_now: now() });
    expect(await claim(alone)).toMatchObject([{ id: other }]);
  });

  test("is not claimed by a worker that holds something", async () => {
    const busy = await jobs.aWorker({ serves: ["orders/read"], leaseSeconds: 600 });
    const held = await jobs.aClaimedJob({ by: busy });
    const suspect = await aSuspect();
    expect(await claim(busy)).toEqual([]);
    await db.value("complete_job", { p_id: held.id, p_claim_token: held.claim_token, p_now: now() });
    expect(await claim(busy)).toMatchObject([{ id: suspect }]);
  });

  test("runs on one worker at a time, while the others go on with the rest", async () => {
    const suspect = await aSuspect();
    const rest = [await jobs.aPendingJob(), await jobs.aPendingJob()];
    expect((await claim(await worker())).map(({ id }) => id)).toEqual([suspect]);
    expect((await claim(await worker())).map(({ id }) => id)).toEqual(rest);
  });

  test("is not claimed by a call that has no room in its stage", async () => {
    await aSuspect();
    expect((await look(await worker(), 0)).filter(({ kind }) => kind === "claimed")).toEqual([]);
  });

  test("is not claimed while its stage is paused", async () => {
    await aSuspect();
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    expect(await claim(await worker())).toEqual([]);
  });

  test("is an ordinary job again in its next stage", async () => {
    await jobs.aPipeline("orders", ["read", "write"]);
    const suspect = await aSuspect();
    const alone = await worker();
    const [claimed] = await claim(alone);
    await db.value("complete_job", { p_id: suspect, p_claim_token: claimed?.claim_token, p_now: now() });
    expect(await db.query("select suspect, losses from lockstep.jobs")).toEqual([
      { suspect: false, losses: 0 },
    ]);
  });

  test("that fails by itself is retried, alone again", async () => {
    const suspect = await aSuspect();
    const alone = await worker();
    const [claimed] = await claim(alone);
    const failure = { p_id: suspect, p_claim_token: claimed?.claim_token, p_error: {}, p_retry_after: "0" };
    await db.value("fail_job", { ...failure, p_now: now() });
    await jobs.aPendingJob();
    await db.value("promote_due_jobs", { p_stage_ids: [read], p_now: now() });
    expect(await claim(alone)).toMatchObject([{ id: suspect, attempt: 2 }]);
  });

  test("and is lost a third time ends as failed, naming the worker and the stage", async () => {
    const suspect = await aSuspect();
    const [held] = await aWorkerDies();
    expect(held?.id).toBe(suspect);
    expect(await jobs.read(suspect)).toMatchObject({
      status: "failed",
      losses: 3,
      error: {
        name: "WorkerLostError",
        message: expect.stringMatching(/was lost .* in stage read; that was loss 3/),
      },
      attempts: [{ outcome: "lost" }, { outcome: "lost" }, { outcome: "lost" }],
    });
  });
});

describe("the worker that makes itself free", () => {
  test("is exactly one of those that are busy, and the next one when it dies", async () => {
    const [first, second] = [
      await worker("00000000-0000-4000-8000-000000000001"),
      await worker("00000000-0000-4000-8000-000000000002"),
    ];
    for (const id of [first, second]) {
      await jobs.aPendingJob({ at: now() });
      await claim(id, 1);
    }
    await db.query(
      `insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, position, ready_at, status, losses, suspect, payload)
       select gen_random_uuid(), $1, pipeline_id, id, nextval('lockstep.job_positions'), $1, 'pending', 2, true, 'null'
       from lockstep.stages`,
      [noon],
    );
    const waiting = await jobs.aPendingJob({ at: now() });
    expect((await look(second)).map(({ kind, id }) => id ?? kind)).toEqual([waiting, "stage"]);
    expect((await look(first)).map(({ kind }) => kind)).toEqual(["suspect"]);

    await db.query("update lockstep.workers set lost_at = $1 where id = $2", [noon, first]);
    expect((await look(second)).map(({ kind }) => kind)).toEqual(["suspect"]);
  });

  test("is none when the job's stage is not among those it serves", async () => {
    await aSuspect();
    const elsewhere = await jobs.aWorker({ at: now(), serves: [] });
    expect(
      await db.value("frees_itself", { p_worker_id: elsewhere, p_stage_ids: [read], p_now: now() }),
    ).toBe(false);
  });
});

test("of a poison job and its bystanders only the poison job ends failed", async () => {
  const poison = await jobs.aPendingJob({ payload: "poison" });
  for (let bystander = 0; bystander < 20; bystander++) await jobs.aPendingJob({ at: now() });

  // A worker dies whenever it holds the poison job; what it holds without it, it completes.
  for (let round = 0; round < 40; round++) {
    const id = await worker();
    const held = await claim(id, 8);
    if (held.some(({ payload }) => payload === "poison")) {
      clock += 61;
      await db.call("sweep_lost_workers", { p_now: now() });
      continue;
    }
    for (const { id: jobId, claim_token } of held) {
      await db.value("complete_job", { p_id: jobId, p_claim_token: claim_token, p_now: now() });
    }
    await db.value("deregister_worker", { p_worker_id: id, p_now: now() });
  }

  expect(
    await db.query("select status, count(*)::integer from lockstep.finished_jobs group by 1 order by 1"),
  ).toEqual([
    { status: "completed", count: 20 },
    { status: "failed", count: 1 },
  ]);
  expect(await jobs.read(poison)).toMatchObject({ status: "failed", losses: 3 });
  expect(await db.call("verify", { p_now: now() })).toEqual([]);
});
