// In real time, with short spans: leases live on PostgreSQL's clock, and the heartbeat in a thread.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodedJob, ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { PipelineRegistrar } from "../client/schema/pipeline-registrar.ts";
import { systemClock } from "../clock.ts";
import { type EngineOptions, readEngineConfig } from "../engine-config.ts";
import { EngineEvents } from "../events/engine-events.ts";
import { type AnyPipeline, definePipeline } from "../jobs/pipelines/pipeline.ts";
import type { StageContext } from "../jobs/pipelines/stage-context.ts";
import type { StageOptions } from "../jobs/pipelines/stage-options.ts";
import { Database } from "../store/connections/database.ts";
import { Stores } from "../store/stores.ts";
import { targetAt } from "../test-support/target-at.ts";
import { Worker } from "./worker.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 4,
  transactionPooler: false,
  applicationName: "lockstep worker test",
});
const stores = new Stores(database);
afterAll(() => database.close(systemClock));
beforeEach(() => db.reset());

/** A pipeline of one stage whose handlers end when the test says so, or when they are told to stop. */
function aPipeline(options: StageOptions = {}, isObedient = true) {
  const contexts = new Map<string, StageContext>();
  const finish = new Map<string, (value?: unknown) => void>();
  const pipeline = definePipeline("orders").stage("read", options, (context) => {
    contexts.set(context.jobId, context);
    return new Promise((resolve, reject) => {
      finish.set(context.jobId, resolve);
      if (isObedient) context.signal.addEventListener("abort", () => reject(context.signal.reason));
    });
  });
  return { pipeline, contexts, finish };
}

async function aWorker(pipeline: AnyPipeline, options: Partial<EngineOptions> = {}) {
  const config = readEngineConfig({
    databaseUrl: db.url,
    pipelines: [pipeline],
    workerName: "tester",
    ...options,
  });
  const events = new EngineEvents();
  const registrar = new PipelineRegistrar({
    pipelines: [pipeline],
    store: stores.pipelines,
    schema: stores.schema,
    clock: systemClock,
  });
  const told = recordEvents(events);
  const spent: string[] = [];
  const worker = new Worker({
    config,
    stages: await registrar.register(),
    stores,
    upkeepStores: stores,
    events,
    version: "0.1.0",
    newWorkerId: randomUUID,
    onSpent: (sentence) => spent.push(sentence),
  });
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(() => {
    worker.abort();
    return stop();
  });
  await worker.start(new AbortController().signal);
  return { worker, told, spent, stop };
}

async function jobs(count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, () => encodedJob({ pipeline: "orders" }));
  return (await stores.adding.add(texts, false)).map(({ id }) => id);
}

async function aRunningJob(started: {
  next(name: "job.started"): Promise<{ jobId: string }>;
}): Promise<string> {
  await jobs(1);
  return (await started.next("job.started")).jobId;
}

describe("in the list of workers", () => {
  test("it is there with its name and stages from start to stop", async () => {
    const { worker, told, stop } = await aWorker(aPipeline().pipeline);
    expect(told.all("worker.registered")).toEqual([{ workerId: worker.workerId, name: "tester" }]);
    expect(await stores.queue.workers()).toMatchObject([
      { workerId: worker.workerId, name: "tester", isAlive: true, pid: process.pid, stages: ["orders/read"] },
    ]);
    await stop();
    expect(await stores.queue.workers()).toEqual([]);
  });

  test("it tells with its heartbeat how its processors are, and the settings that verify goes by", async () => {
    const { pipeline } = aPipeline({ processors: 3 });
    const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 50, leaseMarginMs: 500, sweepIntervalMs: 7_000 };
    const { told } = await aWorker(pipeline, brisk);
    await aRunningJob(told);
    await expect
      .poll(async () => (await stores.queue.workers())[0]?.report, { timeout: 10_000 })
      .toMatchObject({
        isListening: true,
        memoryBytes: expect.any(Number),
        stages: [{ pipeline: "orders", stage: "read", waiting: 0, idle: 2, busy: 1, error: 0 }],
        times: { sweepIntervalMs: 7_000, cancelGraceMs: 30_000, stopGraceMs: 5_000, pollIntervalMs: 2_000 },
      });
  });

  test("it listens although it never runs out of jobs", async () => {
    await db.call("define_pipeline", { p_name: "orders", p_stages: [{ name: "read" }] });
    await jobs(2);
    const { worker, told } = await aWorker(aPipeline({ processors: 1 }).pipeline);
    await told.next("job.started");
    await expect.poll(() => worker.notifyLagMs(), { timeout: 10_000 }).not.toBeNull();
  });

  test("its health says the same to this process", async () => {
    const { worker, told } = await aWorker(aPipeline({ processors: 3 }).pipeline);
    await aRunningJob(told);
    expect(worker.health()).toMatchObject({
      workerId: worker.workerId,
      problems: [],
      stages: [{ idle: 2, busy: 1 }],
    });
  });
});

test("jobs come first: the upkeep begins a second after the start", async () => {
  const clock = new ManualClock();
  const { pipeline, finish } = aPipeline();
  await db.query("update lockstep.upkeep set done_at = '-infinity'");
  const done = () => db.query("select task from lockstep.upkeep where done_at > '-infinity'");
  const { told } = await aWorker(pipeline, { clock });
  const jobId = await aRunningJob(told);
  await clock.advance(999);
  finish.get(jobId)?.();
  await told.next("job.completed");
  expect(await done()).toEqual([]);
  await clock.advance(1);
  await expect.poll(done, soon).toContainEqual({ task: "sweep" });
});

describe("a drain", () => {
  test("gives waiting jobs back at once and lets running ones end", async () => {
    const { pipeline, finish } = aPipeline({ processors: 1 });
    const { told, stop } = await aWorker(pipeline, {
      timing: "classic",
      assignIntervalMs: 0,
      pollIntervalMs: 20,
    });
    const ids = await jobs(3);
    const { jobId } = await told.next("job.started");
    await expect.poll(() => told.all("job.claimed").length, soon).toBe(3);
    const stopped = stop();
    for (const id of ids.filter((id) => id !== jobId)) {
      await told.next("job.released", (event) => event.jobId === id);
      expect(await stores.jobs.get(id)).toMatchObject({ status: "pending", attempt: 0, losses: 0 });
    }
    expect((await stores.jobs.get(jobId))?.status).toBe("processing");
    finish.get(jobId)?.("read");
    await stopped;
    expect(await stores.jobs.get(jobId)).toMatchObject({ status: "completed", result: "read" });
  });

  test("aborts what is not over in time, and gives it back without a penalty", async () => {
    const { pipeline, contexts } = aPipeline();
    const { told, stop } = await aWorker(pipeline, { drainTimeoutMs: 50 });
    const id = await aRunningJob(told);
    await stop();
    expect(contexts.get(id)?.signal.reason).toMatchObject({ reason: "shutdown" });
    expect(await stores.jobs.get(id)).toMatchObject({ status: "pending", attempt: 0, losses: 0 });
  });

  test("does not wait for handlers that do not stop, and gives their jobs back too", async () => {
    const { pipeline } = aPipeline({ processors: 5 }, false);
    const { told, spent, stop } = await aWorker(pipeline, { drainTimeoutMs: 20, stopGraceMs: 20 });
    const ids = await jobs(4);
    for (const _id of ids) await told.next("job.started");
    await stop();
    for (const id of ids) expect(await stores.jobs.get(id)).toMatchObject({ status: "pending", attempt: 0 });
    expect(told.all("processor.error")).toHaveLength(4);
    expect(spent).toEqual([]);
  });

  test("takes the temporary folders of handlers along that do not stop", async () => {
    const tempRoot = await mkdtemp(join(tmpdir(), "worker-test-"));
    onTestFinished(() => rm(tempRoot, { recursive: true, force: true }));
    const { pipeline, contexts } = aPipeline({}, false);
    const { told, stop } = await aWorker(pipeline, { tempRoot, drainTimeoutMs: 20, stopGraceMs: 20 });
    const folder = await contexts.get(await aRunningJob(told))?.tempFolder();
    expect(existsSync(String(folder))).toBe(true);
    await stop();
    expect(await readdir(tempRoot)).toEqual([]);
  });

  test("is cut short by abort", async () => {
    const { pipeline } = aPipeline();
    const { worker, told, stop } = await aWorker(pipeline, { drainTimeoutMs: 60_000 });
    const id = await aRunningJob(told);
    const stopped = stop();
    worker.abort();
    await stopped;
    expect((await stores.jobs.get(id))?.status).toBe("pending");
  });

  test("keeps the lease to its end", async () => {
    const { pipeline, finish } = aPipeline();
    const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 200, leaseMarginMs: 300 };
    const { told, stop } = await aWorker(pipeline, brisk);
    const id = await aRunningJob(told);
    const stopped = stop();
    const heartbeatAt = async () => Number((await stores.queue.workers())[0]?.heartbeatAt);
    for (let time = 0; time < 3; time += 1) {
      await db.timePasses(brisk.leaseMs / 2);
      const before = await heartbeatAt();
      await expect.poll(heartbeatAt, soon).toBeGreaterThan(before);
    }
    expect(await db.call("sweep_lost_workers")).toMatchObject([{ lost_workers: 0 }]);
    finish.get(id)?.();
    await stopped;
    expect(told.names()).not.toContain("worker.lost");
    expect(await stores.jobs.get(id)).toMatchObject({ status: "completed", losses: 0 });
  });
});

describe("a cancel", () => {
  test("reaches a running handler at once, and is told once", async () => {
    const { pipeline, contexts } = aPipeline();
    const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 30, leaseMarginMs: 500 };
    const { told } = await aWorker(pipeline, brisk);
    const id = await aRunningJob(told);
    expect(await stores.steering.cancel(id, null)).toBe("cancel_requested");
    await told.next("job.cancelled");
    expect(contexts.get(id)?.signal.reason).toMatchObject({ reason: "cancel" });
    expect(told.all("job.cancel_requested")).toEqual([{ jobId: id }]);
    expect((await stores.jobs.get(id))?.status).toBe("cancelled");
  });

  test("is told once to a handler that does not stop, however many heartbeats repeat it", async () => {
    const { pipeline, finish } = aPipeline({}, false);
    const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 20, leaseMarginMs: 500 };
    const { told } = await aWorker(pipeline, brisk);
    const id = await aRunningJob(told);
    await stores.steering.cancel(id, null);
    await told.next("job.cancel_requested");
    const heartbeatAt = async () => Number((await stores.queue.workers())[0]?.heartbeatAt);
    const before = await heartbeatAt();
    await expect.poll(heartbeatAt, soon).toBeGreaterThan(before + 100);
    expect(told.all("job.cancel_requested")).toHaveLength(1);
    finish.get(id)?.();
    await told.next("job.completed");
  });

  test("of a job that waits for a processor here ends it when it is given back", async () => {
    const { pipeline } = aPipeline({ processors: 1 });
    const { told } = await aWorker(pipeline, { timing: "classic", assignIntervalMs: 0, pollIntervalMs: 20 });
    const ids = await jobs(2);
    const { jobId } = await told.next("job.started");
    await expect.poll(() => told.all("job.claimed").length, soon).toBe(2);
    const waiting = String(ids.find((id) => id !== jobId));
    await stores.steering.cancel(waiting, null);
    await told.next("job.cancelled", (event) => event.jobId === waiting);
    expect((await stores.jobs.get(waiting))?.status).toBe("cancelled");
    expect((await stores.jobs.get(jobId))?.status).toBe("processing");
  });
});

test("a worker that is stopped while it enters anew leaves no connection and no row behind", async () => {
  const { worker, told, stop } = await aWorker(aPipeline().pipeline);
  await db.query(
    `update lockstep.workers set lease_until = now() - interval '1 second';
     select lockstep.sweep_lost_workers()`,
  );
  worker.lookNow();
  await told.next("worker.lost");
  await stop();
  // A listener's connection would be found when this file ends.
  expect((await stores.queue.workers()).filter(({ isAlive }) => isAlive)).toEqual([]);
});

test("a worker that was swept aborts its handlers, enters anew, and runs the job again", async () => {
  const { pipeline, contexts, finish } = aPipeline();
  const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 50, leaseMarginMs: 500 };
  const { worker, told } = await aWorker(pipeline, brisk);
  const id = await aRunningJob(told);
  const firstId = worker.workerId;
  const signal = contexts.get(id)?.signal;
  // In one transaction, so that no heartbeat comes in between.
  await db.query(
    `update lockstep.workers set lease_until = now() - interval '1 second';
     select lockstep.sweep_lost_workers()`,
  );
  await told.next("worker.lost");
  expect(signal?.reason).toMatchObject({ reason: "lease_lost" });
  expect(await told.next("claim.lost")).toMatchObject({ jobId: id });
  await told.next("worker.registered", ({ workerId }) => workerId !== firstId);
  await told.next("job.started");
  finish.get(id)?.("at last");
  await told.next("job.completed");
  expect(await stores.jobs.get(id)).toMatchObject({
    status: "completed",
    result: "at last",
    workerId: worker.workerId,
  });
});

describe("handlers that never stop", () => {
  test("cost their processors, which the next health check replaces", async () => {
    const { pipeline } = aPipeline({ processors: 1, timeoutMs: 20, maxAttempts: 1 }, false);
    const { told } = await aWorker(pipeline, { stopGraceMs: 20, healthIntervalMs: 50 });
    const [first, second] = await jobs(2);
    expect(await told.next("job.failed")).toMatchObject({ jobId: first, error: { code: "timeout" } });
    await told.next("processor.error");
    await told.next("processor.replaced");
    expect(await told.next("job.failed")).toMatchObject({ jobId: second });
    expect((await stores.jobs.get(String(first)))?.attempts).toMatchObject([{ outcome: "timeout" }]);
  });

  test("make the worker ask once for a new process after the third, however many jobs end later", async () => {
    const stuck = new Set<string>();
    const pipeline = definePipeline("orders").stage(
      "read",
      { processors: 5, timeoutMs: 30, maxAttempts: 1 },
      ({ jobId }) => (stuck.has(jobId) ? new Promise(() => {}) : "read"),
    );
    const { told, spent, worker } = await aWorker(pipeline, { stopGraceMs: 20 });
    await stores.steering.pause("orders", "read");
    for (const id of await jobs(3)) stuck.add(id);
    await stores.steering.resume("orders", "read");
    for (let time = 0; time < 3; time += 1) await told.next("job.failed");
    const [later] = await jobs(1);
    worker.lookNow();
    await told.next("job.completed", ({ jobId }) => jobId === later);
    expect(spent).toEqual([expect.stringMatching(/^3 handlers did not stop .* orders\/read\.$/)]);
  });
});

describe("handlers that do not stop when the lease is lost", () => {
  const brisk = { leaseMs: 60_000, heartbeatIntervalMs: 50, leaseMarginMs: 500, stopGraceMs: 20 };

  test("are no reason for the worker to end, however many there are", async () => {
    const { pipeline } = aPipeline({ processors: 5, timeoutMs: null }, false);
    const { worker, told, spent } = await aWorker(pipeline, { ...brisk, healthIntervalMs: 50 });
    const firstId = worker.workerId;
    await jobs(4);
    for (let time = 0; time < 4; time += 1) await told.next("job.started");
    await db.query(
      `update lockstep.workers set lease_until = now() - interval '1 second';
       select lockstep.sweep_lost_workers()`,
    );
    for (let time = 0; time < 4; time += 1) await told.next("processor.error");
    await told.next("worker.registered", ({ workerId }) => workerId !== firstId);
    await told.next("job.started");
    expect(spent).toEqual([]);
  });
});

describe("a database that is away when it wants to enter", () => {
  beforeEach(async () => {
    const [row] = await db.query<{ source: string }>(
      "select pg_get_functiondef('lockstep.register_worker'::regproc) as source",
    );
    await db.query(
      String(row?.source).replace(
        /begin\s/,
        "begin raise exception 'starting up' using errcode = '57P03';\n",
      ),
    );
    return async () => {
      await db.query(String(row?.source));
    };
  });

  test("does not keep it from giving up when it is told to", async () => {
    const { pipeline } = aPipeline();
    const config = readEngineConfig({ databaseUrl: db.url, pipelines: [pipeline] });
    const registrar = new PipelineRegistrar({
      pipelines: [pipeline],
      store: stores.pipelines,
      schema: stores.schema,
      clock: systemClock,
    });
    const events = new EngineEvents();
    const parts = {
      config,
      stores,
      upkeepStores: stores,
      events,
      version: "0.1.0",
      newWorkerId: randomUUID,
      onSpent: () => {},
    };
    const worker = new Worker({ stages: await registrar.register(), ...parts });
    const stopping = new AbortController();
    const started = worker.start(stopping.signal);
    stopping.abort();
    expect(await started).toBe(false);
  });
});
