import { expect, test } from "vitest";
import type { Health, Pipeline, StageCount, Worker } from "../../api/contract.ts";
import { needsAttention } from "./attention.ts";

const now = new Date("2026-01-31T12:00:00Z");
const quiet = { stats: [], workers: [], health: undefined, failed: 0, now };
const pipeline = (pausedAt: string | null) =>
  ({ name: "orders", stages: [{ name: "read", pausedAt }] }) as unknown as Pipeline;
const sentences = (sources: Parameters<typeof needsAttention>[0]) =>
  needsAttention(sources).map(({ sentence }) => sentence);

test("a paused stage is told also when nothing waits in it", () => {
  expect(sentences({ ...quiet, pipelines: [pipeline(now.toISOString())] })).toEqual([
    "orders/read is paused",
  ]);
  expect(sentences({ ...quiet, pipelines: [pipeline(null)] })).toEqual([]);
});

test("failures are told, once their number is known", () => {
  expect(sentences({ ...quiet, pipelines: [], failed: 2 })).toEqual([
    "2 jobs failed in the time range shown",
  ]);
  expect(sentences({ ...quiet, pipelines: [], failed: null })).toEqual([]);
});

const worker = (name: string, leaseUntil: string, error = 0): Worker => ({
  ...{ workerId: name, name, host: null, pid: null, version: null, isAlive: true },
  ...{ startedAt: now.toISOString(), heartbeatAt: now.toISOString(), leaseUntil },
  ...{ stages: ["orders/read"], activeJobs: 0, oldestJobAt: null, newestJobAt: null },
  report: { stages: [{ pipeline: "orders", stage: "read", idle: 1, busy: 0, error }] },
});
const soon = "2026-01-31T12:00:25Z";

test("workers that were lost, and processors in error, are told", () => {
  const workers = [worker("gone", "2026-01-31T11:59:50Z"), worker("well", soon), worker("stuck", soon, 2)];
  expect(sentences({ ...quiet, pipelines: [], workers })).toEqual([
    "gone was lost: its lease has ended",
    "orders/read: 2 processors did not stop after the timeout",
  ]);
});

test("jobs that wait where no worker is are told, and not where one is", () => {
  const stats: StageCount[] = [
    { pipeline: "orders", stage: "read", status: "pending", jobs: 3, paused: false },
  ];
  const sources = { ...quiet, pipelines: [pipeline(null)], stats };
  expect(sentences(sources)).toEqual(["orders/read has no live worker; 3 jobs waiting"]);
  expect(sentences({ ...sources, workers: [worker("well", soon)] })).toEqual([]);
});

test("a check of the server's health that fails is told, unless it is told with names above", () => {
  const check = (name: string, ok: boolean, value: number) => ({ check: name, ok, value });
  const checks = [
    check("clock skew ms", false, 1_500),
    check("dead rows", true, 4),
    check("lost workers", false, 1),
    check("stages without a worker", false, 1),
  ];
  expect(sentences({ ...quiet, pipelines: [], health: { ok: false, checks } as unknown as Health })).toEqual([
    "Health: clock skew ms 1,500",
  ]);
});
