import { expect, test } from "vitest";
import type { HistoryStep, Pipeline, StageCount, Worker } from "../../api/contract.ts";
import { funnelOf } from "./funnel.ts";

const stage = (name: string, pausedAt: string | null = null): Pipeline["stages"][number] => ({
  name,
  pausedAt,
  maxAttempts: 3,
  maxLosses: 3,
  timeoutMs: 300_000,
  retry: { kind: "exponential", baseMs: 120_000, capMs: 3_600_000, jitter: 0.5 },
});

const pipeline: Pipeline = {
  name: "site",
  version: 1,
  maxPending: null,
  ageingMs: null,
  events: false,
  payloadSchema: null,
  branchOf: null,
  stages: [stage("read"), stage("ask")],
};

const count = (name: string, status: StageCount["status"], jobs: number): StageCount => ({
  pipeline: "site",
  stage: name,
  status,
  jobs,
  paused: false,
});

const step = (name: string, counts: Partial<HistoryStep>): HistoryStep => ({
  at: "2026-01-31T12:00:00.000Z",
  stage: name,
  entered: 0,
  started: 0,
  advanced: 0,
  completed: 0,
  retrying: 0,
  failed: 0,
  snoozed: 0,
  released: 0,
  lost: 0,
  cancelled: 0,
  skipped: 0,
  waitP50Ms: null,
  waitP95Ms: null,
  runP50Ms: null,
  runP95Ms: null,
  ...counts,
});

const worker = (isAlive: boolean, report: unknown): Worker => ({
  workerId: "0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f",
  name: "worker-1",
  host: "a",
  pid: 1,
  version: "0.1.0",
  isAlive,
  startedAt: "2026-01-31T11:00:00.000Z",
  heartbeatAt: "2026-01-31T12:00:00.000Z",
  leaseUntil: "2026-01-31T12:00:30.000Z",
  stages: ["site/read", "site/ask"],
  activeJobs: 1,
  oldestJobAt: null,
  newestJobAt: null,
  report,
});

const report = {
  stages: [
    { pipeline: "site", stage: "ask", waiting: 0, busy: 2, idle: 1, error: 1, batchSize: 100 },
    { junk: 1 },
  ],
};

function funnel() {
  return funnelOf({
    pipeline,
    stats: [count("read", "pending", 12), count("ask", "pending", 310), count("ask", "failed", 6)],
    waits: [{ pipeline: "site", stage: "ask", oldestPendingAt: "2026-01-31T11:57:50.000Z" }],
    workers: [worker(true, report), worker(false, report), worker(true, null)],
    history: [
      step("read", { entered: 1_204, advanced: 1_180, waitP95Ms: 100 }),
      step("read", { entered: 0, advanced: 20, failed: 4, waitP95Ms: 1_100 }),
      step("ask", { entered: 1_200, completed: 861, failed: 6 }),
    ],
    spanMs: 3_600_000,
  });
}

test("each stage tells what waits, what was done and how long the slowest waited", () => {
  const [read, ask] = funnel();
  expect(read).toMatchObject({
    pending: 12,
    oldestPendingAt: null,
    done: 1_200,
    donePerHour: 1_200,
    waitP95Ms: 1_100,
    runP95Ms: null,
  });
  expect(ask).toMatchObject({ pending: 310, failed: 6, done: 861 });
  expect(read?.passedOn).toBeCloseTo(1_200 / 1_204);
});

test("only live workers' processors are counted, and only what they really reported", () => {
  expect(funnel()[1]).toMatchObject({ workers: 2, processors: { busy: 2, idle: 1, error: 1 } });
});

test("a stage with a batch handler tells the size of its calls, as its workers report it", () => {
  expect(funnel().map(({ batchSize }) => batchSize)).toEqual([null, 100]);
});

test("the stage with the most waiting is the bottleneck", () => {
  expect(funnel().map(({ isBottleneck }) => isBottleneck)).toEqual([false, true]);
});
