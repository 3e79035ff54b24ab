import { expect, test } from "vitest";
import type { Worker } from "../../api/contract.ts";
import { inOrder, upMs, workerState } from "./worker-state.ts";

const now = new Date("2026-01-31T12:00:00Z");
const worker = (name: string, isAlive: boolean, heartbeatAt: string, leaseUntil: string): Worker => ({
  workerId: name,
  name,
  host: null,
  pid: null,
  version: null,
  isAlive,
  startedAt: heartbeatAt,
  heartbeatAt,
  leaseUntil,
  stages: [],
  activeJobs: 0,
  oldestJobAt: null,
  newestJobAt: null,
  report: null,
});

const well = worker("worker-2", true, "2026-01-31T11:59:55Z", "2026-01-31T12:00:25Z");
const late = worker("worker-10", true, "2026-01-31T11:59:40Z", "2026-01-31T12:00:10Z");
const over = worker("worker-3", true, "2026-01-31T11:59:20Z", "2026-01-31T11:59:50Z");

test("the time that a worker is up ends with its last heartbeat when it is lost", () => {
  const startedAt = "2026-01-31T11:59:00Z";
  expect([well, late, over].map((each) => upMs({ ...each, startedAt }, now))).toEqual([
    60_000, 60_000, 20_000,
  ]);
});

test("a worker is judged by its lease, and by its heartbeat before that", () => {
  expect([well, late, over].map((each) => workerState(each, now))).toEqual(["live", "late", "lost"]);
});

test("trouble comes first, then names with their numbers in order", () => {
  const ten = { ...well, workerId: "ten", name: "worker-11" };
  expect(inOrder([ten, well, late, over], now).map(({ name }) => name)).toEqual([
    "worker-3",
    "worker-10",
    "worker-2",
    "worker-11",
  ]);
});
