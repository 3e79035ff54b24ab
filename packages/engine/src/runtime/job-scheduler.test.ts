import { randomUUID } from "node:crypto";
import { encodedJob, ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../clock.ts";
import { EngineEvents } from "../events/engine-events.ts";
import { type AnyPipeline, definePipeline } from "../jobs/pipeline.ts";
import type { StageOptions } from "../jobs/stage-options.ts";
import { Database } from "../store/database.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import { JobStore } from "../store/job-store.ts";
import { JobCoordinator } from "./job-coordinator.ts";
import { JobQueue } from "./job-queue.ts";
import { JobRun, type JobRunParts } from "./job-run.ts";
import { JobScheduler, type JobSchedulerParts } from "./job-scheduler.ts";
import { JobSettler } from "./job-settler.ts";
import { PipelineRegistrar } from "./pipeline-registrar.ts";
import { ProcessorPool } from "./processor-pool.ts";
import { TempFolders } from "./temp-folder.ts";
import { stageKey } from "./work-stage.ts";

const db = testDatabase();
const database = new Database({
  url: db.url,
  connections: 3,
  transactionPooler: false,
  applicationName: "lockstep scheduler test",
  onDown: () => {},
  onUp: () => {},
});
const store = new JobStore(database);
afterAll(() => database.close(systemClock));
beforeEach(() => db.reset());

const noFanOuts: JobRunParts["fanOuts"] = {
  write: async () => ({ kind: "release" }),
  childrenOf: (jobId) => {
    throw new Error(`Job ${jobId} has no children.`);
  },
};

const tempFolders = new TempFolders(null);
const classic = { isWoken: false, pollIntervalMs: 60_000, claimBatchSize: 10 };

const registration = { name: "w", leaseMs: 30_000, host: "h", pid: 1, version: "1" };

/** What the scheduler says to the real store, and what a test does to that talk. */
function aTalk() {
  const calls: { ends: number; asks: number; claims: number }[] = [];
  const announcements: number[][] = [];
  const faults: ((answer: () => Promise<unknown>) => Promise<unknown>)[] = [];
  let underWay = 0;
  const settleAndClaim: JobStore["settleAndClaim"] = async (workerId, settlements, requests) => {
    underWay += 1;
    const asks = requests.reduce((sum, { room }) => sum + room, 0);
    const call = { ends: settlements.length, asks, claims: 0 };
    calls.push(call);
    const send = async () => {
      const exchange = await store.settleAndClaim(workerId, settlements, requests);
      call.claims = exchange.claims.length;
      return exchange;
    };
    try {
      return (await (faults.shift() ?? ((answer) => answer()))(send)) as Awaited<ReturnType<typeof send>>;
    } finally {
      underWay -= 1;
    }
  };
  const waitForJobs: JobStore["waitForJobs"] = async (workerId, stageIds) => {
    underWay += 1;
    announcements.push([...stageIds]);
    await store.waitForJobs(workerId, stageIds).finally(() => {
      underWay -= 1;
    });
  };
  const passedOn: number[][] = [];
  const passOnWakeUp: JobStore["passOnWakeUp"] = async (workerId, stageIds) => {
    underWay += 1;
    passedOn.push([...stageIds]);
    await store.passOnWakeUp(workerId, stageIds).finally(() => {
      underWay -= 1;
    });
  };
  /** Resolves when nothing goes on until the clock moves or somebody calls. */
  const quiet = async () => {
    for (let still = 0; still < 10; still += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (underWay > 0) still = 0;
    }
  };
  const talkingStore = { settleAndClaim, waitForJobs, passOnWakeUp };
  return { store: talkingStore, calls, announcements, passedOn, faults, quiet };
}

const replyLost = async (answer: () => Promise<unknown>) => {
  await answer();
  throw new DatabaseUnavailableError(new Error("Connection terminated unexpectedly"));
};

/** A scheduler with all its neighbours, on the file's database. The handlers end when the test says so. */
async function aWorker(
  given: Partial<JobSchedulerParts> & { options?: StageOptions; pipeline?: AnyPipeline; clock?: Clock } = {},
) {
  const talk = aTalk();
  const clock = new ManualClock();
  const events = new EngineEvents();
  const finish = new Map<string, (value?: unknown) => void>();
  const pipeline =
    given.pipeline ??
    definePipeline("orders").stage(
      "read",
      given.options ?? {},
      ({ jobId }) => new Promise((resolve) => finish.set(jobId, resolve)),
    );
  const registrar = new PipelineRegistrar({ pipelines: [pipeline], store, clock });
  const stages = await registrar.register();
  const workerId = randomUUID();
  await store.registerWorker({ workerId, stages: stages.map(stageKey), ...registration });

  const queue = new JobQueue(
    stages.map(({ id }) => id),
    1_000,
  );
  const settler = new JobSettler(events);
  const told = recordEvents(events);
  const asked = { lost: 0, doubt: 0, claimed: 0, nothingFound: 0 };
  const time = given.clock ?? clock;
  const pool = new ProcessorPool({
    stages,
    clock: time,
    events,
    stopGraceMs: 1_000,
    onEnded: (run, outcome) => {
      queue.end(run.jobId);
      const durationMs = time.monotonicMs() - run.startedMs;
      settler.settle(run.claim, run.workStage, outcome, durationMs, run.logAsJson);
      scheduler.ended(run.workStage.id, durationMs);
      coordinator.notice(run.workStage.id);
    },
  });
  const coordinator = new JobCoordinator({
    stages,
    queue,
    pool,
    newRun: (claim, stage) =>
      new JobRun(claim, stage, {
        clock: time,
        events,
        progress: { report: () => {} },
        tempFolders,
        effectsOf: () => ({ once: async () => undefined }),
        onEndedIn: () => {},
        fanOuts: noFanOuts,
      }),
    clock: time,
    assignIntervalMs: 0,
    assignmentsPerCycle: null,
    onError: () => {},
  });
  const scheduler = new JobScheduler({
    stages,
    store: talk.store,
    queue,
    pool,
    settler,
    coordinator,
    clock: time,
    events,
    workerId: () => workerId,
    isTrusted: () => true,
    onLost: () => {
      asked.lost += 1;
    },
    onDoubt: () => {
      asked.doubt += 1;
    },
    onClaimed: () => {
      asked.claimed += 1;
    },
    pollIntervalMs: 2_000,
    claimBatchSize: 1_000,
    jobsAtOnce: null,
    queueLimit: 1_000,
    isHearing: () => true,
    onNothingFound: () => {
      asked.nothingFound += 1;
    },
    isWoken: true,
    random: () => 0.5,
    ...given,
  });
  onTestFinished(async () => {
    const stopped = scheduler.stop(1_000);
    await clock.advance(1_000);
    await stopped;
  });
  const start = async () => {
    scheduler.start();
    await talk.quiet();
  };
  const end = async (jobId: string, value: unknown = null) => {
    finish.get(jobId)?.(value);
    await talk.quiet();
  };
  const advance = async (ms: number) => {
    await clock.advance(ms);
    await talk.quiet();
  };
  /** Nothing is found until the worker has said that it sleeps and only polls. */
  const fallAsleep = async () => {
    const before = talk.announcements.length;
    while (talk.announcements.length === before) await advance(16);
    for (const stepMs of [10, 50, 250]) await advance(stepMs);
  };
  const announced = async () => {
    const [row] = await db.query<{ ids: number[] }>(
      "select waiting_stage_ids as ids from lockstep.workers where id = $1",
      [workerId],
    );
    return row?.ids;
  };
  const running = () => [...finish.keys()];
  return {
    ...talk,
    clock,
    scheduler,
    queue,
    pool,
    told,
    asked,
    stages,
    start,
    end,
    advance,
    fallAsleep,
    announced,
    running,
  };
}

function aGate(): { promise: Promise<void>; resolve: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, resolve: () => open() };
}

async function jobs(count: number, job: object = {}): Promise<string[]> {
  const texts = Array.from({ length: count }, () => encodedJob({ pipeline: "orders", ...job }));
  return (await store.add(texts, false)).map(({ id }) => id);
}

async function statusOf(id: string | undefined): Promise<string | undefined> {
  return (await store.get(String(id)))?.status;
}

describe("claiming", () => {
  test("takes what there are idle processors for, and no more of slow jobs", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const ids = await jobs(5);
    await worker.start();
    expect(worker.running()).toEqual(ids.slice(0, 2));
    expect(worker.calls).toEqual([{ ends: 0, asks: 2, claims: 2 }]);
    expect(worker.queue.isEmpty).toBe(true);
  });

  test("tells when there was less than it had room for", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const [first] = await jobs(3);
    await worker.start();
    expect(worker.asked.nothingFound).toBe(0);
    await worker.end(String(first));
    expect(worker.asked.nothingFound).toBe(0);
    for (const id of worker.running()) await worker.end(id);
    expect(worker.asked.nothingFound).toBeGreaterThan(0);
  });

  test("goes in one call with the ends of tries", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    const [first, second] = await jobs(2);
    await worker.start();
    await worker.end(String(first));
    expect(worker.calls).toEqual([
      { ends: 0, asks: 1, claims: 1 },
      { ends: 1, asks: 1, claims: 1 },
    ]);
    expect(worker.running()).toEqual([first, second]);
    expect(await statusOf(first)).toBe("completed");
  });

  test("gathers what ends while a call is under way into the next", async () => {
    const worker = await aWorker({ options: { processors: 5 } });
    const [first, ...others] = await jobs(5);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const ended = [worker.end(String(first))];
    await expect.poll(() => worker.calls.length).toBe(2);
    ended.push(...others.map((id) => worker.end(id)));
    await worker.clock.advance(0);
    held.resolve();
    await Promise.all(ended);
    expect(worker.calls.slice(1, 3).map(({ ends }) => ends)).toEqual([1, 4]);
  });

  test("makes a second call beside one under way when a hundred ends wait, and never a third", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(249);
    await worker.start();
    const held = aGate();
    for (let call = 0; call < 2; call += 1) {
      worker.faults.push(async (answer) => {
        await held.promise;
        return answer();
      });
    }
    const ended = ids.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length).toBe(2);
    ended.push(...ids.slice(1, 100).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(2);
    ended.push(...ids.slice(100, 101).map((id) => worker.end(id)));
    await expect.poll(() => worker.calls.length).toBe(3);
    ended.push(...ids.slice(101).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(3);
    held.resolve();
    await Promise.all(ended);
    expect(worker.told.all("job.completed")).toHaveLength(249);
    expect(new Set(worker.told.all("job.completed").map(({ jobId }) => jobId)).size).toBe(249);
  });

  test("makes a second call for more jobs while one is under way, when the last look found all it asked for", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(600);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const ended = ids.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length).toBe(2);
    ended.push(...ids.slice(1, 61).map((id) => worker.end(id)));
    await expect.poll(() => worker.calls[2]).toMatchObject({ ends: 60, asks: 60, claims: 60 });
    held.resolve();
    await Promise.all(ended);
  });

  test("makes one call at a time where others claim from the same line, but for a look that is asked for", async () => {
    const worker = await aWorker({ options: { processors: 250 } });
    const ids = await jobs(600);
    const other = randomUUID();
    await store.registerWorker({ ...registration, workerId: other, stages: ["orders/read"] });
    const [stage] = await db.query<{ id: number }>("select id from lockstep.stages");
    const places = new Array(20).fill(0);
    const request = { stageId: stage?.id ?? 0, room: 1, keep: 0, places, scan: 2, dueAfter: null } as const;
    await store.settleAndClaim(other, [], [request]);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    const mine = ids.slice(1);
    const ended = mine.slice(0, 1).map((id) => worker.end(id));
    await expect.poll(() => worker.calls.length).toBe(2);
    ended.push(...mine.slice(1, 201).map((id) => worker.end(id)));
    await worker.clock.advance(0);
    expect(worker.calls).toHaveLength(2);
    worker.scheduler.lookNow();
    await expect.poll(() => worker.calls.length).toBe(3);
    held.resolve();
    await Promise.all(ended);
  });

  // In real time: the pace of fast jobs is what is measured.
  test("runs ahead of fast jobs, so that no processor waits for a call", async () => {
    const pipeline = definePipeline("orders").stage("read", { processors: 2 }, () => 1);
    const worker = await aWorker({ pipeline, clock: systemClock });
    const ids = await jobs(1_000);
    worker.scheduler.start();
    await expect.poll(() => worker.told.all("job.completed").length, { timeout: 10_000 }).toBe(ids.length);
    expect(Math.max(...worker.calls.map(({ claims }) => claims))).toBeGreaterThan(20);
    expect(worker.calls.length).toBeLessThan(200);
  });

  test("rests while the lease is not to be trusted, but ends are settled", async () => {
    let isTrusted = true;
    const worker = await aWorker({ options: { processors: 1 }, isTrusted: () => isTrusted });
    const [first, second] = await jobs(2);
    await worker.start();
    isTrusted = false;
    await worker.end(String(first));
    expect(worker.calls.at(-1)).toEqual({ ends: 1, asks: 0, claims: 0 });
    expect([await statusOf(first), await statusOf(second)]).toEqual(["completed", "pending"]);
    isTrusted = true;
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toContain(second);
  });

  test("finds out that the lease is over", async () => {
    const worker = await aWorker();
    await db.timePasses(31_000);
    await worker.start();
    expect(worker.asked.lost).toBeGreaterThan(0);
  });

  test("is told before its handlers begin", async () => {
    const order: string[] = [];
    const pipeline = definePipeline("orders").stage("read", () => void order.push("begun"));
    const worker = await aWorker({ pipeline, onClaimed: () => order.push("claimed") });
    await jobs(2);
    await worker.start();
    expect(order).toEqual(["claimed", "begun", "begun"]);
    expect(worker.scheduler.isHolding).toBe(false);
  });

  test("holds a claim's token from the claim until its end is confirmed", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const [row] = await db.query<{ token: string }>("select claim_token as token from lockstep.jobs");
    const token = String(row?.token);
    expect(worker.scheduler.holds(String(id), token)).toBe(true);
    expect(worker.scheduler.isHolding).toBe(true);
    expect(worker.scheduler.holds(String(id), randomUUID())).toBe(false);
    expect(worker.scheduler.holds(randomUUID(), token)).toBe(false);
    await worker.end(String(id));
    expect(worker.scheduler.holds(String(id), token)).toBe(false);
  });

  test("of a job whose handler still runs here is put off for a second", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const [row] = await db.query<{ token: string }>("select claim_token as token from lockstep.jobs");
    await db.value("release_job", { p_id: id, p_claim_token: row?.token });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.told.all("job.started")).toHaveLength(1);
    expect(await statusOf(id)).toBe("scheduled");
  });
});

describe("a job that goes on to its next stage", () => {
  const twoStages = (processors: number) => {
    const finish = new Map<string, () => void>();
    const pipeline = definePipeline("orders")
      .stage("read", { processors: 2 }, () => "read")
      .stage(
        "send",
        { processors },
        ({ jobId }) => new Promise<void>((resolve) => finish.set(jobId, resolve)),
      );
    return { pipeline, finish };
  };

  test("stays with the worker that has room for it", async () => {
    const { pipeline, finish } = twoStages(1);
    const worker = await aWorker({ pipeline });
    const [id] = await jobs(1);
    await worker.start();
    expect([...finish.keys()]).toEqual([id]);
    expect(worker.calls.reduce((sum, { claims }) => sum + claims, 0)).toBe(1);
    expect(worker.told.all("job.claimed").map(({ stage }) => stage)).toEqual(["read", "send"]);
  });

  test("waits for anyone where there is none", async () => {
    const { pipeline, finish } = twoStages(1);
    const worker = await aWorker({ pipeline });
    const [first, second] = await jobs(2);
    await worker.start();
    expect([...finish.keys()]).toEqual([first]);
    expect(await store.get(String(second))).toMatchObject({ stage: "send", status: "pending" });
    finish.get(String(first))?.();
    await worker.quiet();
    expect([...finish.keys()]).toEqual([first, second]);
  });
});

describe("looking when there is nothing", () => {
  test("is once more, then the worker says that it sleeps and looks again, then it polls", async () => {
    const worker = await aWorker();
    await worker.start();
    expect([worker.calls.length, worker.announcements]).toEqual([1, []]);
    await worker.advance(2);
    expect(worker.announcements).toEqual([[worker.stages[0]?.id]]);
    expect(worker.calls.length).toBe(3);
    expect(await worker.announced()).toEqual([worker.stages[0]?.id]);
    for (const stepMs of [10, 50, 250, 2_000, 2_000]) await worker.advance(stepMs);
    expect(worker.calls.length).toBe(8);
    await worker.advance(1_999);
    expect(worker.calls.length).toBe(8);
  });

  test("finds at once what was added just before the worker said that it sleeps", async () => {
    const worker = await aWorker();
    await worker.start();
    // With the last look before the announcement, after PostgreSQL has answered it.
    worker.faults.push(async (answer) => {
      const exchange = await answer();
      await jobs(1);
      return exchange;
    });
    await worker.advance(2);
    expect(worker.running()).toHaveLength(1);
  });

  test("ends with a wake-up", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    const ids = await jobs(1);
    await worker.quiet();
    expect(worker.running()).toEqual([]);
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toEqual(ids);
  });

  test("does not miss a wake-up that comes during a call", async () => {
    const worker = await aWorker();
    worker.faults.push(async (answer) => {
      const exchange = await answer();
      await jobs(1);
      worker.scheduler.lookNow();
      return exchange;
    });
    await worker.start();
    expect(worker.running()).toHaveLength(1);
  });

  test("does not miss a wake-up whose look failed", async () => {
    const worker = await aWorker({ pollIntervalMs: 3_600_000 });
    await worker.start();
    await worker.fallAsleep();
    const ids = await jobs(1);
    worker.faults.push(async () => {
      throw new DatabaseUnavailableError(new Error("gone"));
    });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.running()).toEqual([]);
    await worker.advance(200);
    expect(worker.running()).toEqual(ids);
  });

  test("does not miss a wake-up that comes while nothing may be claimed", async () => {
    let isTrusted = true;
    const worker = await aWorker({ isTrusted: () => isTrusted, pollIntervalMs: 3_600_000 });
    const [first] = await jobs(1);
    await worker.start();
    await worker.fallAsleep();
    isTrusted = false;
    const [second] = await jobs(1);
    worker.scheduler.lookNow();
    await worker.end(String(first));
    isTrusted = true;
    worker.scheduler.wake();
    await worker.quiet();
    expect(worker.running()).toContain(second);
  });

  // In real time: when a job is due is judged by PostgreSQL's clock.
  test("comes in time for the next job that is due, without any wake-up", async () => {
    const pipeline = definePipeline("orders").stage("read", () => 1);
    const worker = await aWorker({ pipeline, clock: systemClock, pollIntervalMs: 3_600_000 });
    worker.scheduler.start();
    await expect.poll(() => worker.announcements.length).toBe(1);
    const dueAtMs = Date.now() + 600;
    await jobs(1, { scheduledFor: new Date(dueAtMs) });
    worker.scheduler.lookNow();
    await worker.told.next("job.completed");
    expect(Date.now() - dueAtMs).toBeGreaterThanOrEqual(0);
    expect(Date.now() - dueAtMs).toBeLessThan(5_000);
  });

  test("is over for a worker that has been busy for a second: it asks for no wake-ups then", async () => {
    const pipeline = definePipeline("orders").stage("read", { processors: 1 }, () => 1);
    const worker = await aWorker({ pipeline, claimBatchSize: 1 });
    await worker.start();
    await worker.fallAsleep();
    await jobs(20);
    // Each call takes a tenth of a second and finds all it has asked for.
    for (let call = 0; call < 20; call += 1) {
      worker.faults.push(async (answer) => {
        const exchange = await answer();
        await worker.clock.advance(100);
        return exchange;
      });
    }
    worker.scheduler.lookNow();
    await expect.poll(() => worker.announcements.at(-1)).toEqual([]);
    expect(worker.told.all("job.completed").length).toBeGreaterThanOrEqual(9);
    expect(worker.passedOn).toEqual([]);
    await worker.quiet();
  });

  test("is left to others, who are woken, when a worker has been full for a quarter of a second", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    await worker.start();
    await worker.fallAsleep();
    await jobs(3);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(249);
    expect(worker.passedOn).toEqual([]);
    await worker.advance(1);
    expect(worker.passedOn).toEqual([[worker.stages[0]?.id]]);
    expect(await worker.announced()).toEqual([]);
    await worker.advance(10_000);
    expect(worker.passedOn).toHaveLength(1);
  });

  test("goes on where the worker that was woken still has room", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    await worker.start();
    await worker.fallAsleep();
    await jobs(1);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(1_000);
    expect(worker.passedOn).toEqual([]);
    expect(await worker.announced()).toHaveLength(1);
  });

  test("is announced again when a full worker has room again", async () => {
    const worker = await aWorker({ options: { processors: 1 } });
    await worker.start();
    await worker.fallAsleep();
    const [id] = await jobs(1);
    worker.scheduler.wakeUp();
    await worker.quiet();
    await worker.advance(250);
    expect(await worker.announced()).toEqual([]);
    await worker.end(String(id));
    await worker.fallAsleep();
    expect(await worker.announced()).toHaveLength(1);
  });

  test("is shared by all that sleep for the same jobs", async () => {
    const worker = await aWorker();
    worker.scheduler.sleepers = 5;
    await worker.start();
    await worker.fallAsleep();
    const before = worker.calls.length;
    await worker.advance(9_999);
    expect(worker.calls.length).toBe(before);
    await worker.advance(1);
    expect(worker.calls.length).toBe(before + 1);
  });

  test("comes for jobs that fall due to a few of many sleepers", async () => {
    const looksAt = async (random: number) => {
      await db.reset();
      const worker = await aWorker({ random: () => random });
      worker.scheduler.sleepers = 100;
      await worker.start();
      await jobs(1, { scheduledFor: new Date(Date.now() + 3_000) });
      await worker.fallAsleep();
      const before = worker.calls.length;
      await worker.advance(4_000);
      return worker.calls.length - before;
    };
    expect(await looksAt(0.9)).toBe(0);
    expect(await looksAt(0.07)).toBeGreaterThan(0);
  });

  test("costs an announced worker one call for a job it is woken for, and one for its end", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    const before = worker.calls.length;
    const [id] = await jobs(1);
    worker.scheduler.lookNow();
    await worker.quiet();
    await worker.end(String(id));
    for (const stepMs of [2, 4, 8, 16, 10, 50, 250]) await worker.advance(stepMs);
    expect(worker.calls.length - before).toBe(2);
  });

  test("is over for a worker that is woken more than fifty times a second", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    for (let count = 0; count <= 50; count += 1) worker.scheduler.lookNow();
    await worker.quiet();
    expect(worker.announcements.at(-1)).toEqual([]);
    for (const stepMs of [2, 4, 8, 16]) await worker.advance(stepMs);
    expect(worker.announcements.at(-1)).toEqual([worker.stages[0]?.id]);
  });

  test("is without a word where no wake-up could be heard, and close together after each job", async () => {
    const worker = await aWorker({ isHearing: () => false });
    await worker.start();
    for (const stepMs of [2, 4, 8, 16, 10, 50, 250]) await worker.advance(stepMs);
    expect([worker.calls.length, worker.announcements]).toEqual([8, []]);
  });

  test("announces itself anew under a new worker id", async () => {
    const worker = await aWorker();
    await worker.start();
    await worker.fallAsleep();
    worker.scheduler.workerChanged();
    await worker.quiet();
    expect(worker.announcements).toHaveLength(2);
  });
});

describe("by the classic timing", () => {
  test("it looks at its own times only, and takes its batch whether or not a processor is idle", async () => {
    const worker = await aWorker({ ...classic, options: { processors: 1 } });
    await worker.start();
    const ids = await jobs(12);
    worker.scheduler.lookNow();
    await worker.advance(59_999);
    expect(worker.running()).toEqual([]);
    await worker.advance(1);
    expect(worker.running()).toEqual(ids.slice(0, 1));
    expect(worker.queue.waiting(Number(worker.stages[0]?.id))).toBe(9);
    await worker.end(String(ids[0]));
    expect(worker.calls.at(-1)).toEqual({ ends: 1, asks: 0, claims: 0 });
    expect(worker.announcements).toEqual([]);
  });
});

describe("when the database fails", () => {
  test("it pauses, sends the ends again, and nothing is done or told twice", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    worker.faults.push(replyLost);
    await worker.end(String(id));
    expect(worker.asked.doubt).toBe(1);
    expect(worker.calls).toHaveLength(2);
    await worker.advance(149);
    expect(worker.calls).toHaveLength(2);
    await worker.advance(1);
    expect(worker.calls[2]).toMatchObject({ ends: 1 });
    expect((await store.get(String(id)))?.attempts).toHaveLength(1);
    expect(worker.told.names()).not.toContain("claim.lost");
  });

  test("an outage is the pool's to tell, any other error is told here", async () => {
    const worker = await aWorker();
    worker.faults.push(async () => {
      throw new DatabaseUnavailableError(new Error("gone"));
    });
    worker.faults.push(async () => {
      throw new Error("a bug");
    });
    await worker.start();
    expect(worker.told.all("engine.error")).toEqual([]);
    await worker.advance(200);
    expect(worker.told.all("engine.error")).toMatchObject([{ error: { message: "a bug" } }]);
  });

  test("its pauses grow to five seconds and are forgotten with the first success", async () => {
    const worker = await aWorker();
    for (let time = 0; time < 8; time += 1) {
      worker.faults.push(async () => {
        throw new DatabaseUnavailableError(new Error("gone"));
      });
    }
    await worker.start();
    for (const pauseMs of [150, 300, 600, 1_200, 2_400, 3_750, 3_750]) {
      const calls = worker.calls.length;
      await worker.advance(pauseMs - 1);
      expect(worker.calls).toHaveLength(calls);
      await worker.advance(1);
      expect(worker.calls).toHaveLength(calls + 1);
    }
    await worker.advance(3_750);
    await worker.advance(2);
    expect(worker.calls.length).toBeGreaterThan(9);
  });
});

describe("a job that must run alone", () => {
  async function suspect(): Promise<string> {
    const [id] = await jobs(1);
    await db.query("update lockstep.jobs set suspect = true, losses = 2 where id = $1", [id]);
    return String(id);
  }

  test("makes the worker give its waiting jobs back, run out its others, and then take this one alone", async () => {
    const worker = await aWorker({ ...classic, claimBatchSize: 3, options: { processors: 1 } });
    const [first, ...waiting] = await jobs(3);
    await worker.start();
    const alone = await suspect();
    await worker.advance(60_000);
    for (const id of waiting) expect(await statusOf(id)).toBe("pending");
    expect(worker.running()).toEqual([first]);
    await worker.end(String(first));
    expect(worker.running()).toEqual([first, alone]);
    expect(worker.queue.isEmpty).toBe(true);
    await worker.advance(60_000);
    expect(worker.running()).toEqual([first, alone]);
    await worker.end(alone);
    await worker.advance(60_000);
    expect(waiting).toContain(worker.running()[2]);
  });

  test("is taken at once by a worker that holds nothing", async () => {
    const worker = await aWorker();
    const alone = await suspect();
    await jobs(2);
    await worker.start();
    expect(worker.running()).toEqual([alone]);
  });
});

describe("stopping", () => {
  test("takes no more claims, gives back those that were under way, and settles all that ends", async () => {
    const worker = await aWorker({ options: { processors: 2 } });
    const [first] = await jobs(1);
    await worker.start();
    const [late] = await jobs(1);
    worker.faults.push(async (answer) => {
      worker.scheduler.stopClaiming();
      return answer();
    });
    worker.scheduler.lookNow();
    await worker.quiet();
    expect(await statusOf(late)).toBe("pending");
    await worker.end(String(first));
    expect(await statusOf(first)).toBe("completed");
    await worker.scheduler.stop(1_000);
  });

  test("settles what is left before it is over", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    worker.faults.push(replyLost);
    await worker.end(String(id));
    const stopped = worker.scheduler.stop(5_000);
    await worker.advance(200);
    await stopped;
    expect(worker.calls.at(-1)).toMatchObject({ ends: 1, asks: 0 });
  });

  test("waits no longer than its limit for a call that hangs", async () => {
    const worker = await aWorker();
    const [id] = await jobs(1);
    await worker.start();
    const held = aGate();
    worker.faults.push(async (answer) => {
      await held.promise;
      return answer();
    });
    void worker.end(String(id));
    await worker.clock.advance(0);
    const stopped = worker.scheduler.stop(4_000);
    await worker.clock.advance(4_000);
    await stopped;
    held.resolve();
    await worker.quiet();
  });

  test("leaves no timer behind when nothing is left to settle", async () => {
    let asleep = 0;
    const counting: Clock = {
      now: () => systemClock.now(),
      monotonicMs: () => systemClock.monotonicMs(),
      sleep: async (ms, signal) => {
        asleep += 1;
        await systemClock.sleep(ms, signal);
        asleep -= 1;
      },
    };
    const worker = await aWorker({ clock: counting });
    await worker.start();
    await worker.scheduler.stop(60_000);
    await worker.quiet();
    expect(asleep).toBe(0);
  });
});
