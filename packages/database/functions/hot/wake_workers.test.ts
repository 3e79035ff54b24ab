import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: Record<string, number>;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "write"]);
});

const channelOf = (worker: string) => `${db.schema}_${worker.replaceAll("-", "")}`;
const wholeDay = 86_400;

async function aSleeper(stage = "read", leaseSeconds = wholeDay): Promise<string> {
  const worker = await jobs.aWorker({ leaseSeconds, serves: [`orders/${stage}`] });
  await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds[stage]] });
  return worker;
}

const aBusyWorker = () => jobs.aWorker({ leaseSeconds: wholeDay, serves: ["orders/read"] });

/** The channels on which something is heard of what is done; a mark that always comes says when to stop listening. */
async function channelsHeard(workers: string[], act: () => Promise<unknown>): Promise<string[]> {
  const listener = await db.connect();
  const heard: string[] = [];
  const marked = new Promise<void>((resolve) => {
    listener.on("notification", ({ channel }: pg.Notification) => {
      if (channel === "the_end") resolve();
      else heard.push(channel);
    });
  });
  for (const channel of [...workers.map(channelOf), "the_end"]) await listener.query(`listen ${channel}`);
  await act();
  await db.query("notify the_end");
  await marked;
  return heard;
}

async function heardBy(workers: string[], act: () => Promise<unknown>): Promise<string[]> {
  const channels = await channelsHeard(workers, act);
  return workers.filter((worker) => channels.includes(channelOf(worker)));
}

describe("a wake-up goes", () => {
  test("to a worker that sleeps for the stage, when a job is added there", async () => {
    const sleeper = await aSleeper();
    expect(await heardBy([sleeper], () => jobs.aPendingJob())).toEqual([sleeper]);
  });

  test("to nobody when nobody sleeps", async () => {
    const busy = await aBusyWorker();
    expect(await heardBy([busy], () => jobs.aPendingJob())).toEqual([]);
  });

  test("to nobody who sleeps for another stage, and not for a job of later", async () => {
    const elsewhere = await aSleeper("write");
    const sleeper = await aSleeper();
    expect(await heardBy([elsewhere], () => jobs.aPendingJob())).toEqual([]);
    const tomorrow = new Date(noon.getTime() + 86_400_000);
    expect(await heardBy([sleeper], () => jobs.aPendingJob({ scheduledFor: tomorrow }))).toEqual([]);
  });

  test("to nobody who is awake again, lost, or whose lease is over", async () => {
    const [awake, lost, expired] = [await aSleeper(), await aSleeper(), await aSleeper()];
    await db.value("wait_for_jobs", { p_worker_id: awake, p_stage_ids: [] });
    await db.query("update lockstep.workers set lost_at = $1 where id = $2", [noon, lost]);
    await db.query("update lockstep.workers set lease_until = $1 where id = $2", [noon, expired]);
    expect(await heardBy([awake, lost, expired], () => jobs.aPendingJob())).toEqual([]);
  });

  test("past workers that were not heard of for half of their lease, as long as there are others", async () => {
    const silent: string[] = [];
    for (let count = 0; count < 10; count++) silent.push(await aSleeper());
    const [one, other] = [await aSleeper(), await aSleeper()];
    await db.query("update lockstep.workers set lease_until = $1 where id = any ($2)", [
      secondsAfter(noon, wholeDay / 2 - 1),
      silent,
    ]);
    const sleepers = [one, other, ...silent];
    expect(await heardBy(sleepers, () => jobs.aPendingJob())).toEqual([one, other]);
    await db.value("wait_for_jobs", { p_worker_id: other, p_stage_ids: [] });
    const heard = await heardBy(sleepers, () => jobs.aPendingJob());
    expect(heard).toHaveLength(2);
    expect(heard).toContain(one);
  });

  test("to at most two workers for one job, and to eight for a crowd", async () => {
    const sleepers: string[] = [];
    for (let count = 0; count < 12; count++) sleepers.push(await aSleeper());
    expect(await heardBy(sleepers, () => jobs.aPendingJob())).toHaveLength(2);
    const crowd = Array.from({ length: 100 }, () => ({ pipeline: "orders" }));
    expect(await heardBy(sleepers, () => db.call("add_jobs", { p_jobs: crowd, p_now: noon }))).toHaveLength(
      8,
    );
  });

  test("to the same worker for ten seconds, which has all at hand then, and to any other beside it", async () => {
    const sleepers: string[] = [];
    for (let count = 0; count < 12; count++) sleepers.push(await aSleeper());
    const firsts = new Set<string>();
    for (let turn = 0; turn < 8; turn++) {
      const heard: string[][] = [];
      for (const second of [0, 0, 1, 2, 4, 6, 8, 9.9]) {
        const at = secondsAfter(noon, turn * 10 + second);
        heard.push(await heardBy(sleepers, () => jobs.aPendingJob({ at })));
      }
      const always = sleepers.filter((sleeper) => heard.every((some) => some.includes(sleeper)));
      expect(always).toHaveLength(1);
      expect(new Set(heard.flat()).size).toBeGreaterThan(2);
      for (const first of always) firsts.add(first);
    }
    expect(firsts.size).toBeGreaterThan(1);
  });

  test("to another sleeper when one is lost or leaves, for what only that one may have been told of", async () => {
    const sleeper = await aSleeper();
    const swept = () => db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 61) });
    const leaves = (worker: string) => () =>
      db.value("deregister_worker", { p_worker_id: worker, p_now: noon });
    await aSleeper("read", 60);
    expect(await heardBy([sleeper], swept)).toEqual([]);
    expect(await heardBy([sleeper], leaves(await aSleeper()))).toEqual([]);
    await jobs.aPendingJob();
    await aSleeper("write", 60);
    expect(await heardBy([sleeper], swept)).toEqual([]);
    await aSleeper("read", 60);
    expect(await heardBy([sleeper], swept)).toEqual([sleeper]);
    expect(await heardBy([sleeper], leaves(await aSleeper()))).toEqual([sleeper]);
  });

  test("to a sleeper of the next stage when a job advances, and of this one when it is released", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 600 });
    const [first, second] = [await jobs.aClaimedJob({ by: worker }), await jobs.aClaimedJob({ by: worker })];
    const [reader, writer] = [await aSleeper("read"), await aSleeper("write")];
    const settle = (name: string, { id, claim_token }: { id: string; claim_token: string }) =>
      db.value(name, { p_id: id, p_claim_token: claim_token, p_now: noon });
    expect(await heardBy([reader, writer], () => settle("complete_job", first))).toEqual([writer]);
    expect(await heardBy([reader, writer], () => settle("release_job", second))).toEqual([reader]);
  });

  test("to a sleeper when a stage is resumed, a job is retried, and a lost job comes back", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 60 });
    const failed = await jobs.aFailedJob({ by: worker });
    await jobs.aClaimedJob({ by: worker });
    const sleeper = await aSleeper();
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "read" });
    const resumed = () => db.value("resume_stage", { p_pipeline: "orders", p_stage: "read", p_now: noon });
    expect(await heardBy([sleeper], resumed)).toEqual([sleeper]);
    const retried = () => db.call("retry_job", { p_id: failed.id, p_now: noon });
    expect(await heardBy([sleeper], retried)).toEqual([sleeper]);
    const swept = () => db.call("sweep_lost_workers", { p_now: new Date(noon.getTime() + 61_000) });
    expect(await heardBy([sleeper], swept)).toEqual([sleeper]);
  });
});

describe("inside a longer transaction", () => {
  async function inTransaction(end: "commit" | "rollback", meanwhile: () => Promise<unknown>): Promise<void> {
    const client = await db.connect();
    await client.query("begin");
    await client.query("select lockstep.add_job('orders', p_now => $1)", [noon]);
    await meanwhile();
    await client.query(end);
  }

  test("who sleeps at its commit is told, though nobody slept at the time of the add", async () => {
    const worker = await aBusyWorker();
    const fallAsleep = () => db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.read] });
    expect(await heardBy([worker], () => inTransaction("commit", fallAsleep))).toEqual([worker]);
  });

  test("who has woken up before its commit is not told", async () => {
    const worker = await aSleeper();
    const wakeUp = () => db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [] });
    expect(await heardBy([worker], () => inTransaction("commit", wakeUp))).toEqual([]);
  });

  test("nobody is told when it is rolled back", async () => {
    const sleeper = await aSleeper();
    expect(await heardBy([sleeper], () => inTransaction("rollback", async () => {}))).toEqual([]);
  });
});

test("a worker that sleeps for the same stages as before writes nothing", async () => {
  const worker = await aSleeper();
  const version = () => db.query("select xmin::text from lockstep.workers");
  const before = await version();
  await db.value("wait_for_jobs", { p_worker_id: worker, p_stage_ids: [stageIds.read] });
  expect(await version()).toEqual(before);
});
