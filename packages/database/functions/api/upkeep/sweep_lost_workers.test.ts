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

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const sweep = async (at: Date, more: object = {}) => {
  const [counts] = await db.call("sweep_lost_workers", { p_now: at, ...more });
  return counts;
};

const nothing = { lost_workers: 0, lost_jobs: 0, failed_jobs: 0, cancelled_jobs: 0, expired_jobs: 0 };

describe("a sweep", () => {
  test("takes back the jobs of a worker whose lease is over: a loss, not a failure", async () => {
    const worker = await jobs.aWorker();
    const { id } = await jobs.aClaimedJob({ by: worker, dedupKey: "k" });
    expect(await sweep(secondsAfter(noon, 31))).toEqual({ ...nothing, lost_workers: 1, lost_jobs: 1 });
    expect(await jobs.read(id)).toMatchObject({
      status: "pending",
      stage: "read",
      attempt: 0,
      losses: 1,
      worker_id: null,
      claimed_at: null,
      attempts: [{ stage: "read", attempt: 1, outcome: "lost", workerId: worker }],
    });
    expect(await db.call("verify", { p_now: secondsAfter(noon, 31) })).toEqual([]);
  });

  test("lets another worker claim what it took back", async () => {
    const { id } = await jobs.aClaimedJob({ by: await jobs.aWorker() });
    await sweep(secondsAfter(noon, 31));
    const other = await jobs.aWorker({ at: secondsAfter(noon, 31) });
    expect(await jobs.claimAs(other, { at: secondsAfter(noon, 31) })).toMatchObject([{ id, attempt: 1 }]);
  });

  test("puts what it took back behind those of its priority", async () => {
    const { id } = await jobs.aClaimedJob({ by: await jobs.aWorker() });
    const waiting = await jobs.aPendingJob();
    const at = secondsAfter(noon, 31);
    await sweep(at);
    const claimed = await jobs.claimAs(await jobs.aWorker({ at }), { batchSize: 2, at });
    expect(claimed.map((job) => job.id)).toEqual([waiting, id]);
  });

  test("leaves the jobs of live workers, however long they run", async () => {
    const worker = await jobs.aWorker();
    const { id } = await jobs.aClaimedJob({ by: worker });
    await db.call("heartbeat", { p_worker_id: worker, p_now: secondsAfter(noon, 100_000) });
    expect(await sweep(secondsAfter(noon, 100_030))).toEqual(nothing);
    expect(await jobs.read(id)).toMatchObject({ status: "processing", losses: 0 });
  });

  test("takes back what a worker claimed whose row is missing", async () => {
    const worker = await jobs.aWorker();
    const { id } = await jobs.aClaimedJob({ by: worker });
    await db.query("delete from lockstep.workers");
    expect(await sweep(noon)).toEqual({ ...nothing, lost_jobs: 1 });
    expect(await jobs.read(id)).toMatchObject({ status: "pending", losses: 1 });
  });

  test("takes back what a worker claimed that was lost before", async () => {
    const worker = await jobs.aWorker();
    const { id } = await jobs.aClaimedJob({ by: worker });
    await db.query("update lockstep.workers set lost_at = $1", [noon]);
    expect(await sweep(noon)).toEqual({ ...nothing, lost_jobs: 1 });
    expect(await jobs.read(id)).toMatchObject({ status: "pending" });
  });

  test("takes the jobs of the lost among those of many workers", async () => {
    const claims: ClaimedJob[] = [];
    for (let index = 0; index < 6; index++) {
      const leaseSeconds = index % 2 === 0 ? 30 : 600;
      claims.push(await jobs.aClaimedJob({ by: await jobs.aWorker({ leaseSeconds }) }));
    }
    expect(await sweep(secondsAfter(noon, 31))).toMatchObject({ lost_workers: 3, lost_jobs: 3 });
    const statuses: unknown[] = [];
    for (const { id } of claims) statuses.push((await jobs.read(id)).status);
    expect(statuses).toEqual(["pending", "processing", "pending", "processing", "pending", "processing"]);
  });

  test("finds in its next round a claim that committed after its worker was lost", async () => {
    const worker = await jobs.aWorker();
    const id = await jobs.aPendingJob();
    const claimer = await db.connect();
    await claimer.query("begin");
    await claimer.query("select lockstep.claim_jobs($1, '{orders/read}', 1, $2)", [worker, noon]);
    expect(await sweep(secondsAfter(noon, 31))).toMatchObject({ lost_workers: 1, lost_jobs: 0 });
    await claimer.query("commit");
    expect(await sweep(secondsAfter(noon, 36))).toMatchObject({ lost_workers: 0, lost_jobs: 1 });
    expect(await jobs.read(id)).toMatchObject({ status: "pending" });
  });

  test("ends the job of a stage that allows one loss at once", async () => {
    await jobs.aPipeline("letters", [{ name: "send", maxLosses: 1 }]);
    const worker = await jobs.aWorker();
    const { id, claim_token } = await jobs.aClaimedJob({
      by: worker,
      pipeline: "letters",
      stage: "letters/send",
    });
    expect(await sweep(secondsAfter(noon, 31))).toEqual({ ...nothing, lost_workers: 1, failed_jobs: 1 });
    expect(await jobs.read(id)).toMatchObject({
      status: "failed",
      losses: 1,
      error: { name: "WorkerLostError" },
      finished_at: secondsAfter(noon, 31),
      attempts: [{ outcome: "lost" }],
    });
    expect(await db.value("complete_job", { p_id: id, p_claim_token: claim_token })).toBe("lease_lost");
  });

  test("keeps a lost worker on the list for a quarter of an hour", async () => {
    await jobs.aWorker();
    await sweep(secondsAfter(noon, 31));
    await sweep(secondsAfter(noon, 31 + 15 * 60));
    expect(await db.call("active_workers")).toMatchObject([{ alive: false }]);
    await sweep(secondsAfter(noon, 32 + 15 * 60));
    expect(await db.call("active_workers")).toEqual([]);
  });

  test("survives rows that cannot be, and takes them back too", async () => {
    await jobs.aPendingJob();
    await db.query(
      `update lockstep.jobs
       set status = 'processing', claim_token = $1, worker_id = $2, held_by = $2, claimed_at = '-infinity'`,
      [randomUUID(), randomUUID()],
    );
    expect(await sweep(noon)).toMatchObject({ lost_jobs: 1 });
  });
});

describe("a sweep against another move", () => {
  test("spares a worker whose renewal commits first", async () => {
    const worker = await jobs.aWorker();
    const { id } = await jobs.aClaimedJob({ by: worker });
    const [beating, sweeper] = [await db.connect(), await db.connect()];
    await beating.query("begin");
    await beating.query("select lockstep.heartbeat($1, p_now => $2)", [worker, secondsAfter(noon, 31)]);
    const swept = sweeper.query("select * from lockstep.sweep_lost_workers(p_now => $1)", [
      secondsAfter(noon, 31),
    ]);
    await untilBlocked(db);
    await beating.query("commit");
    expect((await swept).rows).toEqual([nothing]);
    expect(await jobs.read(id)).toMatchObject({ status: "processing", worker_id: worker });
  });

  test("leaves a job that its holder completes at that moment, and that completion wins", async () => {
    const claimed = await jobs.aClaimedJob({ by: await jobs.aWorker() });
    const holder = await db.connect();
    await holder.query("begin");
    await holder.query("select lockstep.complete_job($1, $2)", [claimed.id, claimed.claim_token]);
    expect(await sweep(secondsAfter(noon, 31))).toEqual({ ...nothing, lost_workers: 1 });
    await holder.query("commit");
    expect(await jobs.read(claimed.id)).toMatchObject({ stage: "write", status: "pending", losses: 0 });
  });

  test("that commits first makes the completion that waited for it lease_lost", async () => {
    const claimed = await jobs.aClaimedJob({ by: await jobs.aWorker() });
    const [sweeper, holder] = [await db.connect(), await db.connect()];
    await sweeper.query("begin");
    await sweeper.query("select lockstep.sweep_lost_workers(p_now => $1)", [secondsAfter(noon, 31)]);
    const answer = holder.query("select lockstep.complete_job($1, $2) as answer", [
      claimed.id,
      claimed.claim_token,
    ]);
    await untilBlocked(db);
    await sweeper.query("commit");
    expect((await answer).rows).toEqual([{ answer: "lease_lost" }]);
  });

  test("and another sweep takes each job back once", async () => {
    for (let job = 0; job < 20; job++) await jobs.aPendingJob();
    await jobs.claimAs(await jobs.aWorker(), { batchSize: 20 });
    const clients = [await db.connect(), await db.connect(), await db.connect()];
    const counts = await Promise.all(
      clients.map((client) =>
        client.query("select lost_jobs from lockstep.sweep_lost_workers(p_now => $1)", [
          secondsAfter(noon, 31),
        ]),
      ),
    );
    expect(counts.reduce((sum, { rows }) => sum + rows[0].lost_jobs, 0)).toBe(20);
    expect(await db.query("select distinct losses from lockstep.jobs")).toEqual([{ losses: 1 }]);
  });
});

describe("a sweep of the whole fleet", () => {
  test("is done by one of its workers in each interval", async () => {
    const every = { p_interval: "5 seconds" };
    await jobs.aClaimedJob({ by: await jobs.aWorker() });
    expect(await sweep(secondsAfter(noon, 28), every)).toEqual(nothing);
    expect(await sweep(secondsAfter(noon, 32), every)).toEqual(nothing);
    expect(await sweep(secondsAfter(noon, 33), every)).toMatchObject({ lost_jobs: 1 });
  });

  test("is not waited for by the others", async () => {
    const other = await db.connect();
    await other.query("begin");
    await other.query("select lockstep.sweep_lost_workers('5 seconds', p_now => $1)", [noon]);
    await jobs.aClaimedJob({ by: await jobs.aWorker() });
    expect(await sweep(secondsAfter(noon, 60), { p_interval: "5 seconds" })).toEqual(nothing);
    await other.query("commit");
  });
});

test("reset_stalled_jobs sweeps now and says how many jobs it took back", async () => {
  await jobs.aClaimedJob({ by: await jobs.aWorker() });
  expect(await db.value("reset_stalled_jobs", { p_now: noon })).toBe(0);
  expect(await db.value("reset_stalled_jobs", { p_now: secondsAfter(noon, 31) })).toBe(1);
});
