import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const counts = () => db.call("queue_stats");

/** What the rows themselves say, in the shape of queue_stats. */
const counted = () =>
  db.query(`
    select p.name as pipeline, s.name as stage, k.status, count(j.status) as jobs, false as paused
    from lockstep.stages s
    join lockstep.pipelines p on p.id = s.pipeline_id
    cross join unnest(enum_range(null::lockstep.job_status)) as k (status)
    left join (
      select stage_id, status from lockstep.jobs union all select stage_id, status from lockstep.finished_jobs
    ) j on j.stage_id = s.id and j.status = k.status
    group by p.name, s.name, s.ordinal, k.status
    order by p.name, s.ordinal, k.status`);

/** A small generator of numbers in [0, 1), the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("the counters", () => {
  test.each([[1], [2], [3]])("equal the counted rows after any walk of moves (seed %i)", async (seed) => {
    const random = seeded(seed);
    const pick = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];
    const held = () =>
      db.query(
        "select id as p_id, claim_token as p_claim_token from lockstep.jobs where status = 'processing'",
      );
    const live = () => db.query<{ id: string }>("select id from lockstep.jobs");
    const ended = () =>
      db.query<{ id: string }>("select id from lockstep.finished_jobs where status <> 'completed'");
    const nobody = { p_id: null, p_claim_token: null };
    let at = noon;
    let worker = await jobs.aWorker({ at });
    const settle = async (name: string, args: object = {}) => {
      await db.value(name, { ...(pick(await held()) ?? nobody), p_now: at, ...args });
    };
    const moves: (() => Promise<unknown>)[] = [
      () => jobs.aPendingJob({ at, dedupKey: pick(["a", "b", "c"]) }),
      () =>
        jobs.aPendingJob({
          at,
          priority: 1 + Math.floor(random() * 20),
          scheduledFor: secondsAfter(at, random() * 20),
        }),
      () => jobs.claimAs(worker, { at, batchSize: 3 }),
      () => jobs.claimAs(worker, { at, batchSize: 3, stage: "orders/write" }),
      () => settle("complete_job", { p_output: 1 }),
      () => settle("complete_job", { p_output: 2 }),
      () => settle("fail_job", { p_error: {}, p_retry_after: "3 seconds" }),
      () => settle("fail_job", { p_error: {}, p_retry: random() < 0.5 }),
      () => settle("release_job"),
      () => settle("snooze_job", { p_for: "2 seconds" }),
      async () => db.value("cancel_job", { p_id: pick(await live())?.id ?? null, p_now: at }),
      async () => db.call("retry_job", { p_id: pick(await ended())?.id ?? null, p_now: at }),
      () => db.call("heartbeat", { p_worker_id: worker, p_now: at }),
      async () => {
        at = secondsAfter(at, random() * 12);
        await db.call("sweep_lost_workers", { p_now: at });
        const [row] = await db.call("heartbeat", { p_worker_id: worker, p_now: at });
        if (!row?.alive) worker = await jobs.aWorker({ at });
      },
    ];
    for (let step = 0; step < 150; step++) {
      const move = pick(moves);
      await move?.().catch((error: { code?: string }) => {
        if (error.code !== "LS004") throw error;
      });
      if (step % 50 === 25) await db.value("fold_counters", { p_now: at });
    }

    expect(await counts()).toEqual(await counted());
    expect(await db.value<number>("fold_counters", { p_now: at })).toBeGreaterThan(0);
    expect(await db.query("select 1 from lockstep.stage_moves")).toEqual([]);
    expect(await counts()).toEqual(await counted());
    expect(await db.call("verify", { p_now: at })).toEqual([]);
  });

  test("say how long jobs waited and ran, by the minute", async () => {
    const worker = await jobs.aWorker();
    await jobs.aPendingJob();
    const [claimed] = await jobs.claimAs(worker, { at: secondsAfter(noon, 0.003) });
    await db.value("complete_job", {
      p_id: claimed?.id,
      p_claim_token: claimed?.claim_token,
      p_now: secondsAfter(noon, 1.003),
    });
    await db.value("fold_counters", { p_now: secondsAfter(noon, 2) });
    expect(
      await db.query(
        `select h.minute, s.name, moved_from, moved_to, wait_bucket, run_bucket, jobs
         from lockstep.stage_history h join lockstep.stages s on s.id = h.stage_id
         order by s.ordinal, moved_from, moved_to`,
      ),
    ).toMatchObject([
      { minute: noon, name: "read", moved_from: "", moved_to: "pending", wait_bucket: 0, jobs: "1" },
      {
        name: "read",
        moved_from: "pending",
        moved_to: "processing",
        wait_bucket: 0,
        run_bucket: 0,
        jobs: "1",
      },
      { name: "read", moved_from: "processing", moved_to: "", wait_bucket: 3, run_bucket: 11, jobs: "1" },
      { name: "write", moved_from: "", moved_to: "pending", wait_bucket: 0, run_bucket: 0, jobs: "1" },
    ]);
  });

  test("of two folds in one minute add up", async () => {
    for (const second of [1, 2]) {
      await jobs.aPendingJob();
      await db.value("fold_counters", { p_now: secondsAfter(noon, second) });
    }
    expect(await db.query("select jobs from lockstep.stage_history")).toEqual([{ jobs: "2" }]);
    expect(await db.query("select jobs from lockstep.stage_history_by_hour")).toEqual([{ jobs: "2" }]);
    expect(await db.query("select jobs from lockstep.stage_counts")).toEqual([{ jobs: "2" }]);
  });
});

test("a fold of the fleet is done once per interval, and not waited for", async () => {
  await jobs.aPendingJob();
  const other = await db.connect();
  await other.query("begin");
  expect(
    (await other.query("select lockstep.fold_counters('5 seconds', $1) as folded", [noon])).rows,
  ).toEqual([{ folded: 1 }]);
  expect(await db.value("fold_counters", { p_interval: "5 seconds", p_now: noon })).toBe(0);
  await other.query("commit");
  await jobs.aPendingJob();
  expect(await db.value("fold_counters", { p_interval: "5 seconds", p_now: secondsAfter(noon, 4) })).toBe(0);
  expect(await db.value("fold_counters", { p_interval: "5 seconds", p_now: secondsAfter(noon, 5) })).toBe(1);
});
