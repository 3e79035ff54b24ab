import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let stageIds: Record<string, number>;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ serves: ["orders/read"] });
});

const violations = (at = noon) =>
  db.query<{ invariant: string; job_id: string | null; violation: string }>(
    "select * from lockstep.verify($1) order by invariant",
    [at],
  );

async function expectOnly(invariant: string, id: string | null, sentence: RegExp, at = noon): Promise<void> {
  const found = await violations(at);
  expect(found).toMatchObject([{ invariant, job_id: id, violation: expect.stringMatching(sentence) }]);
}

test("a healthy queue has no violation", async () => {
  await jobs.aFailedJob({ by: worker });
  await jobs.aPendingJob();
  await jobs.aClaimedJob({ by: worker, priority: 1 });
  await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 60) });
  expect(await violations()).toEqual([]);
});

test("V2: a job that is both live and finished", async () => {
  const { id } = await jobs.aFailedJob({ by: worker });
  await db.query(
    `insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, position, ready_at, status, payload)
     select id, added_at, pipeline_id, stage_id, 1, added_at, 'pending', payload from lockstep.finished_jobs`,
  );
  await db.query(
    "insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for) values ($1, $2, '', 'pending', 1, 1)",
    [noon, stageIds.read],
  );
  await expectOnly("V2", id, /both live and finished/);
});

test("V5: a job whose worker is missing, or whose lease is long over", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  expect(await violations(secondsAfter(noon, 45))).toEqual([]);
  await expectOnly("V5", id, /lease ended more than two sweeps ago/, secondsAfter(noon, 46));
  await db.query("delete from lockstep.workers");
  await expectOnly("V5", id, /is held by worker/);
});

test("V6: a job that runs longer than its stage may take", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, 341) });
  expect(await violations(secondsAfter(noon, 340))).toEqual([]);
  await expectOnly("V6", id, /longer than its stage may take/, secondsAfter(noon, 341));
});

test("V6: a job that has not stopped long after its cancel", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  await db.value("cancel_job", { p_id: id, p_now: noon });
  await db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, 46) });
  await expectOnly("V6", id, /longer than its stage may take/, secondsAfter(noon, 46));
});

test("V6 says nothing of a stage without a time limit", async () => {
  await jobs.aPipeline("orders", [{ name: "read", timeoutMs: null }, "write"]);
  await jobs.aClaimedJob({ by: worker });
  await db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, 9_999) });
  expect(await violations(secondsAfter(noon, 9_999))).toEqual([]);
});

test("V7: a job that is overdue while a worker sleeps for its stage", async () => {
  const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 10) });
  expect(await violations(secondsAfter(noon, 16))).toEqual([]);
  await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.read] });
  expect(await violations(secondsAfter(noon, 15))).toEqual([]);
  await expectOnly("V7", id, /a free live worker serves its stage/, secondsAfter(noon, 16));
});

describe("with workers whose settings are longer than the default ones, nothing is broken", () => {
  const tells = (times: object, at: Date) =>
    db.call("heartbeat", { p_worker_id: worker, p_report: { times }, p_now: at });

  test("V5: as long as two sweeps have not passed", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    await tells({ sweepIntervalMs: 60_000 }, noon);
    expect(await violations(secondsAfter(noon, 209))).toEqual([]);
    await expectOnly("V5", id, /two sweeps ago/, secondsAfter(noon, 211));
  });

  test("V18: as long as two sweeps have not passed", async () => {
    const id = await jobs.aPendingJob({ startBy: secondsAfter(noon, 5) });
    await tells({ sweepIntervalMs: 60_000 }, secondsAfter(noon, 190));
    expect(await violations(secondsAfter(noon, 184))).toEqual([]);
    await expectOnly("V18", id, /had to start by/, secondsAfter(noon, 186));
  });

  test("V6: as long as a handler may take to stop, and a cancelled job too", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    await tells({ stopGraceMs: 60_000 }, secondsAfter(noon, 396));
    expect(await violations(secondsAfter(noon, 394))).toEqual([]);
    await expectOnly("V6", id, /longer than its stage may take/, secondsAfter(noon, 396));
    await db.value("cancel_job", { p_id: id, p_now: noon });
    await tells({ cancelGraceMs: 120_000 }, secondsAfter(noon, 136));
    expect(await violations(secondsAfter(noon, 134))).toEqual([]);
    await expectOnly("V6", id, /longer than its stage may take/, secondsAfter(noon, 136));
  });

  test("V7: as long as the worker that sleeps does not look by itself", async () => {
    const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 10) });
    await tells({ pollIntervalMs: 60_000 }, secondsAfter(noon, 60));
    await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.read] });
    expect(await violations(secondsAfter(noon, 72))).toEqual([]);
    await expectOnly("V7", id, /a free live worker serves its stage/, secondsAfter(noon, 74));
  });

  test("and what a worker tells that is no span is as if it told nothing", async () => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    await tells({ sweepIntervalMs: "soon", cancelGraceMs: -5, stopGraceMs: {}, pollIntervalMs: null }, noon);
    await expectOnly("V5", id, /two sweeps ago/, secondsAfter(noon, 46));
  });
});

test("V8: a claim that began while another one held the job", async () => {
  const { id } = await jobs.aClaimedJob({ by: worker });
  const heldUntil = (at: Date) =>
    db.query(
      `update lockstep.jobs
       set history = array[row(stage_id, 1, 'done', gen_random_uuid(), null, $2, $1, null)::lockstep.ended_attempt]`,
      [at, secondsAfter(noon, -60)],
    );
  await heldUntil(secondsAfter(noon, 15));
  expect(await violations()).toEqual([]);
  await heldUntil(secondsAfter(noon, 16));
  await expectOnly("V8", id, /while an earlier claim held it/);
});

test("V9: a token that an ended attempt had", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  await db.query(
    "update lockstep.jobs set history = array[row(stage_id, 1, 'done', $1::uuid, null, null, null, null)::lockstep.ended_attempt]",
    [claim_token],
  );
  await expectOnly("V9", id, /one of its ended attempts already had/);
});

test("V10: an output of a stage that the job has not passed", async () => {
  const id = await jobs.aPendingJob();
  await db.query(`update lockstep.jobs set outputs = '{"write": 1}'`);
  await expectOnly("V10", id, /an output of stage write/);
});

test.each([["attempt = 4"], ["losses = 3"], ["attempt = -1"]])(
  "V11: more attempts than allowed (%s)",
  async (broken) => {
    const { id } = await jobs.aClaimedJob({ by: worker });
    await db.query(`update lockstep.jobs set ${broken}`);
    await expectOnly("V11", id, /more than its stage allows/);
  },
);

test("V12: two live jobs with one dedup key", async () => {
  const ids = [await jobs.aPendingJob({ dedupKey: "k" }), await jobs.aPendingJob()].sort();
  // As an index that has come to harm would let it happen.
  await db.query("begin");
  await db.query("drop index lockstep.one_live_job_per_dedup_key");
  await db.query("update lockstep.jobs set dedup_key = 'k'");
  await expectOnly("V12", ids[1] ?? null, /has the dedup key of job .*, which is live too/);
  await db.query("rollback");
});

test("V12 says nothing of a key that each of two owners, or nobody, has", async () => {
  for (const owner of ["ada", "bob", undefined]) await jobs.aPendingJob({ dedupKey: "k", owner });
  expect(await violations()).toEqual([]);
});

test("V16: a job that the limits of its stage count though it does not run, or do not count though it does", async () => {
  const id = await jobs.aPendingJob();
  await db.query("update lockstep.jobs set counted = true");
  await expectOnly("V16", id, /is counted by the limits of its stage, but does not run/);
  await db.query("update lockstep.jobs set counted = false");
  await jobs.claimAs(worker);
  await db.query("update lockstep.stages set concurrency = 1");
  await expectOnly("V16", id, /runs in a stage with limits, but is not counted by them/);
});

test("V17: a counter that differs from the rows", async () => {
  await jobs.aPendingJob();
  await db.query(
    "insert into lockstep.stage_moves (at, stage_id, moved_from, moved_to, jobs, wakes_for) values ($1, $2, '', 'pending', 4, 4)",
    [noon, stageIds.read],
  );
  await expectOnly("V17", null, /orders\/read: the counters say 5 jobs are pending, the rows say 1/);
});

test("V22: a held job that no sweep would find", async () => {
  const { id } = await jobs.aClaimedJob({ by: await jobs.aWorker() });
  await db.query("update lockstep.jobs set held_by = null");
  await expectOnly("V22", id, /is held by worker .*, but no sweep would find it/);
});

test.each([
  "position = null",
  "held_by = gen_random_uuid()",
  "priority = 21",
  "status = 'retrying'",
  "status = 'retrying', position = null",
])("V21: a job that no query would find, since %s", async (change) => {
  const id = await jobs.aPendingJob();
  await db.query(`update lockstep.jobs set ${change}`);
  const found = (await violations()).filter(({ invariant }) => invariant === "V21");
  expect(found).toMatchObject([
    {
      job_id: id,
      violation: expect.stringMatching(/^is (pending|retrying), but no query for such jobs would find it$/),
    },
  ]);
});

test("the table itself refuses a claim without its holder, and a holder without a claim", async () => {
  await jobs.aPendingJob();
  for (const change of ["status = 'processing'", `claim_token = '${randomUUID()}'`]) {
    await expect(db.query(`update lockstep.jobs set ${change}`)).rejects.toThrow(
      /held_only_while_processing/,
    );
  }
  await expect(db.query("update lockstep.jobs set status = 'completed'")).rejects.toThrow(/live_status/);
});
