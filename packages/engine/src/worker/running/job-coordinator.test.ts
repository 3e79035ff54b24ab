import { randomUUID } from "node:crypto";
import { ManualClock } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import { noBudgets } from "../../test-support/no-budgets.ts";
import { noStreams } from "../../test-support/no-streams.ts";
import { JobQueue } from "../claiming/job-queue.ts";
import { JobCoordinator } from "./job-coordinator.ts";
import type { JobRunParts } from "./job-run.ts";
import { ProcessorPool } from "./processor-pool.ts";
import { runsOf } from "./runs-of.ts";
import { TempFolders } from "./temp-folder.ts";

const [read, send] = [1, 2];

const noFanOuts: JobRunParts["fanOuts"] = {
  write: async () => ({ kind: "release" }),
  childrenOf: (jobId) => {
    throw new Error(`Job ${jobId} has no children.`);
  },
};

/** A queue and processors whose handlers end when the test says so, or at once. */
function parts(options: {
  processors: number;
  assignIntervalMs: number;
  assignmentsPerCycle: number | null;
  endsAtOnce?: boolean;
  batch?: { size: number; waitMs: number };
}) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const finish = new Map<string, () => void>();
  const started: string[] = [];
  const calls: string[][] = [];
  const handler = ({ jobId }: { jobId: string }) => {
    started.push(jobId);
    if (options.endsAtOnce) return undefined;
    return new Promise<void>((resolve) => finish.set(jobId, resolve));
  };
  const { processors, batch } = options;
  const first = definePipeline("orders");
  const pipeline = (
    batch === undefined
      ? first.stage("read", { processors }, handler)
      : first.stage("read", { processors, batch }, async (jobs) => {
          calls.push(jobs.map(({ jobId }) => jobId));
          await Promise.all(jobs.map(handler));
        })
  ).stage("send", { processors }, handler);
  const stages = workStagesOf(pipeline, new Map(Object.entries({ read, send })));
  const queue = new JobQueue([read, send], 100_000);
  const pool = new ProcessorPool({
    stages,
    clock,
    events,
    stopGraceMs: 1_000,
    onEnded: ({ workStage, jobId }) => {
      queue.end(jobId);
      coordinator.notice(workStage.id);
    },
  });
  const tempFolders = new TempFolders(null);
  const coordinator = new JobCoordinator({
    stages,
    queue,
    pool,
    newRuns: (claims, stage) =>
      runsOf(claims, stage, {
        clock,
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
    clock,
    assignIntervalMs: options.assignIntervalMs,
    assignmentsPerCycle: options.assignmentsPerCycle,
    onError: (error) => {
      throw error;
    },
  });
  coordinator.start();
  onTestFinished(() => coordinator.stop());
  const enqueue = (jobId: string, stageId = read) => {
    const rest = {
      attempt: 1,
      priority: 10,
      position: 1,
      owner: null,
      tags: [],
      payload: null,
      outputs: {},
      more: null,
    };
    queue.enqueue({ jobId, stageId, token: randomUUID(), ...rest });
  };
  const end = (jobId: string) => finish.get(jobId)?.();
  return { clock, queue, pool, coordinator, started, calls, enqueue, end };
}

const atOnce = { processors: 2, assignIntervalMs: 0, assignmentsPerCycle: null };
const classic = { processors: 10, assignIntervalMs: 5_000, assignmentsPerCycle: 3 };

test("a job that comes while a processor is idle starts at once", () => {
  const { coordinator, enqueue, started } = parts(atOnce);
  enqueue("a");
  coordinator.notice(read);
  expect(started).toEqual(["a"]);
});

test("what comes to a full stage waits, and starts in its order as processors become free", async () => {
  const { clock, coordinator, enqueue, started, end } = parts(atOnce);
  for (const id of ["a", "b", "c", "d"]) enqueue(id);
  coordinator.notice(read);
  expect(started).toEqual(["a", "b"]);
  end("b");
  await clock.advance(0);
  expect(started).toEqual(["a", "b", "c"]);
  end("a");
  await clock.advance(0);
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("a long line of jobs that end at once starts in its order, all from one notice", () => {
  const { coordinator, enqueue, started, pool } = parts({ ...atOnce, endsAtOnce: true });
  const jobIds = Array.from({ length: 20_000 }, (_, index) => `job ${index}`);
  for (const jobId of jobIds) enqueue(jobId);
  coordinator.notice(read);
  expect(started).toEqual(jobIds);
  expect([pool.idle(read), pool.busy]).toEqual([2, 0]);
});

test("jobs that end at once leave none behind when only so many are assigned at a time", () => {
  const { coordinator, enqueue, started } = parts({ ...atOnce, assignmentsPerCycle: 3, endsAtOnce: true });
  for (const id of ["a", "b", "c", "d", "e"]) enqueue(id);
  coordinator.notice(read);
  expect(started).toEqual(["a", "b", "c", "d", "e"]);
});

test("a full stage does not hold up another", () => {
  const { coordinator, enqueue, started } = parts(atOnce);
  for (const id of ["a", "b", "c"]) enqueue(id);
  enqueue("x", send);
  coordinator.notice(read);
  coordinator.notice(send);
  expect(started).toEqual(["a", "b", "x"]);
});

test("a notice of a stage it does not know, or of one with nothing waiting, changes nothing", () => {
  const { coordinator, started } = parts(atOnce);
  coordinator.notice(read);
  coordinator.notice(99);
  expect(started).toEqual([]);
});

test("by cycles, three of each stage start every five seconds, and no notice hastens them", async () => {
  const { clock, coordinator, enqueue, started } = parts(classic);
  await clock.whenAsleep();
  for (let job = 1; job <= 5; job += 1) enqueue(`read ${job}`);
  for (let job = 1; job <= 4; job += 1) enqueue(`send ${job}`, send);
  coordinator.notice(read);
  await clock.advance(4_999);
  expect(started).toEqual([]);
  await clock.advance(1);
  expect(started).toEqual(["read 1", "read 2", "read 3", "send 1", "send 2", "send 3"]);
  await clock.advance(5_000);
  expect(started.slice(6)).toEqual(["read 4", "read 5", "send 4"]);
});

test("a cycle assigns no more than there are idle processors", async () => {
  const { clock, queue, enqueue, started } = parts({ ...classic, processors: 2 });
  await clock.whenAsleep();
  for (const id of ["a", "b", "c"]) enqueue(id);
  await clock.advance(5_000);
  expect(started).toEqual(["a", "b"]);
  expect(queue.waiting(read)).toBe(1);
});

test("stopped, it assigns nothing any more", async () => {
  const { clock, coordinator, enqueue, started } = parts(classic);
  await clock.whenAsleep();
  enqueue("a");
  await coordinator.stop();
  await clock.advance(60_000);
  expect(started).toEqual([]);
});

test("jobs for a batch handler go when there are enough for a call, or when the first has waited long enough", async () => {
  const { clock, coordinator, enqueue, calls } = parts({ ...atOnce, batch: { size: 3, waitMs: 50 } });
  const come = (...jobIds: string[]) => {
    for (const jobId of jobIds) enqueue(jobId);
    coordinator.notice(read);
  };
  come("a");
  await clock.advance(49);
  come("b");
  expect(calls).toEqual([]);
  await clock.advance(1);
  expect(calls).toEqual([["a", "b"]]);
  come("c", "d");
  await clock.advance(10);
  come("e", "f");
  expect(calls.slice(1)).toEqual([["c", "d", "e"]]);
});

test("what is gathered while no processor is idle goes with the next that is", async () => {
  const { clock, coordinator, enqueue, calls, end } = parts({
    ...{ ...atOnce, processors: 1 },
    batch: { size: 2, waitMs: 50 },
  });
  for (const id of ["a", "b", "c"]) enqueue(id);
  coordinator.notice(read);
  await clock.advance(500);
  expect(calls).toEqual([["a", "b"]]);
  end("a");
  await clock.advance(0);
  expect(calls).toEqual([["a", "b"]]);
  end("b");
  await clock.advance(0);
  expect(calls).toEqual([["a", "b"], ["c"]]);
});

test("by cycles, a batch is assigned in the first cycle after its wait", async () => {
  const { clock, enqueue, calls } = parts({ ...classic, batch: { size: 3, waitMs: 6_000 } });
  await clock.whenAsleep();
  for (const id of ["a", "b", "c", "d"]) enqueue(id);
  await clock.advance(5_000);
  expect(calls).toEqual([["a", "b", "c"]]);
  await clock.advance(5_000);
  expect(calls).toEqual([["a", "b", "c"]]);
  await clock.advance(5_000);
  expect(calls).toEqual([["a", "b", "c"], ["d"]]);
});

test("stopped, it assigns no batch whose wait ends later", async () => {
  const { clock, coordinator, enqueue, calls } = parts({ ...atOnce, batch: { size: 3, waitMs: 50 } });
  enqueue("a");
  coordinator.notice(read);
  await coordinator.stop();
  await clock.advance(1_000);
  expect(calls).toEqual([]);
});
