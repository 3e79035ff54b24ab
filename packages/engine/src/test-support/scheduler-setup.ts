import { randomUUID } from "node:crypto";
import {
  encodedJob,
  ManualClock,
  recordEvents,
  type TestDatabase,
  testDatabase,
} from "@lockstep/test-support";
import { afterAll, beforeEach, onTestFinished } from "vitest";
import { PipelineRegistrar } from "../client/schema/pipeline-registrar.ts";
import { type Clock, systemClock } from "../clock.ts";
import { EngineEvents } from "../events/engine-events.ts";
import { type AnyPipeline, definePipeline } from "../jobs/pipelines/pipeline.ts";
import type { StageOptions } from "../jobs/pipelines/stage-options.ts";
import { stageKey } from "../jobs/pipelines/work-stage.ts";
import { Database } from "../store/connections/database.ts";
import { DatabaseUnavailableError } from "../store/connections/database-error.ts";
import { Stores } from "../store/stores.ts";
import type { ClaimStore } from "../store/working/claim-store.ts";
import type { WorkerStore } from "../store/working/worker-store.ts";
import { ClaimPlanner } from "../worker/claiming/claim-planner.ts";
import { HeldClaims } from "../worker/claiming/held-claims.ts";
import { JobExchange } from "../worker/claiming/job-exchange.ts";
import { JobQueue } from "../worker/claiming/job-queue.ts";
import { JobScheduler } from "../worker/claiming/job-scheduler.ts";
import { JobSettler } from "../worker/claiming/job-settler.ts";
import { JobCoordinator } from "../worker/running/job-coordinator.ts";
import type { JobRunParts } from "../worker/running/job-run.ts";
import { ProcessorPool } from "../worker/running/processor-pool.ts";
import { runsOf } from "../worker/running/runs-of.ts";
import { TempFolders } from "../worker/running/temp-folder.ts";
import { timings } from "../worker/timing.ts";
import { noBudgets } from "./no-budgets.ts";
import { noStreams } from "./no-streams.ts";
import { targetAt } from "./target-at.ts";

const tempFolders = new TempFolders(null);
const noFanOuts: JobRunParts["fanOuts"] = {
  write: async () => ({ kind: "release" }),
  childrenOf: (jobId) => {
    throw new Error(`Job ${jobId} has no children.`);
  },
};

export const registration = { name: "w", leaseMs: 30_000, host: "h", pid: 1, version: "1" };

/** The settings of the classic timing, with small batches. */
export const classic = { timing: "classic", pollIntervalMs: 60_000, claimBatchSize: 10 } as const;

export interface Given {
  options?: StageOptions;
  pipeline?: AnyPipeline;
  clock?: Clock;
  timing?: keyof typeof timings;
  pollIntervalMs?: number;
  claimBatchSize?: number;
  isTrusted?: () => boolean;
  isHearing?: () => boolean;
  random?: () => number;
  onClaimed?: () => void;
}

/** Call it at the top of a test file: a database for the file, and schedulers on it. */
export function schedulersOnDatabase() {
  const db = testDatabase();
  const database = new Database({
    target: targetAt(db.url),
    connections: 3,
    transactionPooler: false,
    applicationName: "lockstep scheduler test",
  });
  const stores = new Stores(database);
  afterAll(() => database.close(systemClock));
  beforeEach(() => db.reset());

  async function jobs(count: number, job: object = {}): Promise<string[]> {
    const texts = Array.from({ length: count }, () => encodedJob({ pipeline: "orders", ...job }));
    return (await stores.adding.add(texts, false)).map(({ id }) => id);
  }

  async function statusOf(id: string | undefined): Promise<string | undefined> {
    return (await stores.jobs.get(String(id)))?.status;
  }

  return { db, stores, jobs, statusOf, aWorker: (given: Given = {}) => aWorker(db, stores, given) };
}

/** The database has done what it was asked, and nobody hears of it. */
export const replyLost = async (answer: () => Promise<unknown>) => {
  await answer();
  throw new DatabaseUnavailableError(new Error("Connection terminated unexpectedly"));
};

export function aGate(): { promise: Promise<void>; resolve: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, resolve: () => open() };
}

/** A scheduler with all its neighbours. The handlers end when the test says so. */
async function aWorker(db: TestDatabase, stores: Stores, given: Given) {
  const talk = aTalk(stores);
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
  const registrar = new PipelineRegistrar({
    pipelines: [pipeline],
    store: stores.pipelines,
    schema: stores.schema,
    clock,
  });
  const stages = await registrar.register();
  const workerId = randomUUID();
  await stores.workers.register({ workerId, stages: stages.map(stageKey), ...registration });

  const queue = new JobQueue(
    stages.map(({ id }) => id),
    1_000,
  );
  const settler = new JobSettler(events);
  const told = recordEvents(events);
  const asked = { lost: 0, doubt: 0, claimed: 0, nothingFound: 0 };
  const claimsLost: string[] = [];
  const time = given.clock ?? clock;
  const pool = new ProcessorPool({
    stages,
    clock: time,
    events,
    stopGraceMs: 1_000,
    onEnded: (run, outcome) => {
      queue.end(run.jobId);
      const durationMs = time.monotonicMs() - run.startedMs;
      settler.add(run.claim, run.workStage, outcome, durationMs, run.logAsJson);
      scheduler.ended(run.workStage.id, durationMs);
      coordinator.notice(run.workStage.id);
    },
  });
  const coordinator = new JobCoordinator({
    stages,
    queue,
    pool,
    newRuns: (claims, stage) =>
      runsOf(claims, stage, {
        clock: time,
        events,
        progress: { report: () => {}, reportLog: () => {} },
        tempFolders,
        schema: "lockstep",
        effectsOf: () => ({ once: async () => undefined }),
        streams: noStreams,
        budgets: noBudgets,
        graceMs: 1_000,
        onEndedIn: () => {},
        fanOuts: noFanOuts,
        setSignalKey: async () => "applied",
      }),
    clock: time,
    assignIntervalMs: 0,
    assignmentsPerCycle: null,
    onError: () => {},
  });
  const timing = timings[given.timing ?? "default"];
  const random = given.random ?? (() => 0.5);
  const held = new HeldClaims({ store: talk.store, workerId: () => workerId });
  const lease = {
    get isTrusted() {
      return given.isTrusted?.() ?? true;
    },
    taken() {
      asked.claimed += 1;
      given.onClaimed?.();
    },
    markInDoubt() {
      asked.doubt += 1;
    },
  };
  const planner = new ClaimPlanner({
    stages,
    queue,
    pool,
    settler,
    claimBatchSize: given.claimBatchSize ?? 1_000,
    jobsAtOnce: null,
    queueLimit: 1_000,
    takesWholeBatches: timing.takesWholeBatches,
    nowMs: time.monotonicMs(),
  });
  const waking = timing.newWaking({
    store: talk.store,
    clock: time,
    workerId: () => workerId,
    isHearing: given.isHearing ?? (() => true),
    hasRoom: (stageId, nowMs) => planner.hasRoom(stageId, nowMs),
    pollIntervalMs: given.pollIntervalMs ?? 2_000,
    random,
  });
  const exchange = new JobExchange({
    store: talk.store,
    settler,
    workerId: () => workerId,
    onDoubt: () => lease.markInDoubt(),
    onConfirmed: ({ claim }) => held.remove(claim),
  });
  const scheduler = new JobScheduler({
    planner,
    exchange,
    waking,
    held,
    queue,
    pool,
    settler,
    coordinator,
    lease,
    clock: time,
    events,
    random,
    onLost: () => {
      asked.lost += 1;
    },
    onClaimsLost: (jobIds) => void claimsLost.push(...jobIds),
    onWaitBegan: null,
    onNothingFound: () => {
      asked.nothingFound += 1;
    },
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
    held,
    waking,
    queue,
    pool,
    told,
    asked,
    claimsLost,
    stages,
    start,
    end,
    advance,
    fallAsleep,
    announced,
    running,
  };
}

/** What the scheduler says to the real store, and what a test does to that talk. */
function aTalk(stores: Stores) {
  const calls: { ends: number; asks: number; claims: number }[] = [];
  const announcements: number[][] = [];
  const faults: ((answer: () => Promise<unknown>) => Promise<unknown>)[] = [];
  let underWay = 0;
  const settleAndClaim: ClaimStore["settleAndClaim"] = async (workerId, settlements, requests) => {
    underWay += 1;
    const asks = requests.reduce((sum, { room }) => sum + room, 0);
    const call = { ends: settlements.length, asks, claims: 0 };
    calls.push(call);
    const send = async () => {
      const exchange = await stores.claims.settleAndClaim(workerId, settlements, requests);
      call.claims = exchange.claims.length;
      return exchange;
    };
    try {
      return (await (faults.shift() ?? ((answer) => answer()))(send)) as Awaited<ReturnType<typeof send>>;
    } finally {
      underWay -= 1;
    }
  };
  const waitForJobs: WorkerStore["waitForJobs"] = async (workerId, stageIds) => {
    underWay += 1;
    announcements.push([...stageIds]);
    await stores.workers.waitForJobs(workerId, stageIds).finally(() => {
      underWay -= 1;
    });
  };
  const passedOn: number[][] = [];
  const passOnWakeUp: WorkerStore["passOnWakeUp"] = async (workerId, stageIds) => {
    underWay += 1;
    passedOn.push([...stageIds]);
    await stores.workers.passOnWakeUp(workerId, stageIds).finally(() => {
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
  const presented: string[][] = [];
  const presentClaims: ClaimStore["presentClaims"] = async (workerId, claims) => {
    underWay += 1;
    presented.push(claims.map(({ jobId }) => jobId));
    return stores.claims.presentClaims(workerId, claims).finally(() => {
      underWay -= 1;
    });
  };
  const talkingStore = { settleAndClaim, presentClaims, waitForJobs, passOnWakeUp };
  return { store: talkingStore, calls, announcements, passedOn, presented, faults, quiet };
}
