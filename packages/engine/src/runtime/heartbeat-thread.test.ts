// In real time: the thread has a clock of its own and speaks to a real PostgreSQL.
import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { HeartbeatData, HeartbeatMessage } from "./heartbeat-thread.js";
import { LeaseMemory } from "./lease-memory.js";

const db = testDatabase();
const workerId = randomUUID();
let memory: LeaseMemory;
let threads: Worker[];

beforeEach(async () => {
  await db.reset();
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_lease: "900 milliseconds" });
  memory = new LeaseMemory();
  threads = [];
});

afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
});

function startThread(options: Partial<HeartbeatData> = {}): { answers: HeartbeatMessage[] } {
  const workerData: HeartbeatData = {
    databaseUrl: db.url,
    transactionPooler: false,
    workerId,
    leaseMs: 900,
    heartbeatIntervalMs: 60,
    frozenAfterMs: 300,
    doubtMs: 300,
    memory: memory.buffer,
    ...options,
  };
  const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), { workerData, execArgv: [] });
  threads.push(thread);
  const answers: HeartbeatMessage[] = [];
  thread.on("message", (message: HeartbeatMessage) => {
    if (message.kind === "answer") answers.push(message);
  });
  return { answers };
}

function tick(longestTimeoutMs: number | null): void {
  memory.tickAtMs = memory.nowMs();
  memory.longestTimeoutMs = longestTimeoutMs;
}

async function nextRenewal(): Promise<void> {
  const before = memory.renewedAtMs;
  await expect.poll(() => memory.renewedAtMs, { interval: 10 }).toBeGreaterThan(before);
}

async function renewsNoMore(): Promise<void> {
  let before = memory.renewedAtMs;
  const isStill = () => {
    const isSame = memory.renewedAtMs === before;
    before = memory.renewedAtMs;
    return isSame;
  };
  await expect.poll(isStill, { interval: 250, timeout: 5_000 }).toBe(true);
}

describe("a main thread that stands still", () => {
  test("longer than its handlers may take and the grace is renewed no more, until it moves again", async () => {
    tick(200);
    const firstTickAtMs = memory.tickAtMs;
    startThread();
    await nextRenewal();
    await renewsNoMore();
    expect(memory.renewedAtMs - firstTickAtMs).toBeGreaterThan(200);
    expect(memory.renewedAtMs - firstTickAtMs).toBeLessThan(200 + 300 + 200);
    tick(0);
    await nextRenewal();
  });

  test("is renewed as long as it may when a handler has no limit", async () => {
    tick(null);
    startThread({ frozenAfterMs: 10 });
    const untilMs = memory.nowMs() + 700;
    while (memory.nowMs() < untilMs) await nextRenewal();
  });
});

describe("a heartbeat in doubt", () => {
  test("asks what the worker holds until one sent after the time of doubt is answered", async () => {
    tick(null);
    memory.doubtAtMs = memory.nowMs();
    const doubtAtMs = memory.doubtAtMs;
    const { answers } = startThread();
    await expect.poll(() => memory.doubtAtMs, { interval: 5 }).toBeNull();
    const endedAtMs = memory.nowMs();
    await nextRenewal();
    await nextRenewal();
    expect(endedAtMs - doubtAtMs).toBeGreaterThanOrEqual(300);
    const held = answers.map((answer) => answer.kind === "answer" && answer.held);
    expect(held.slice(0, 3)).toEqual([[], [], []]);
    expect(held.at(-1)).toBeNull();
  });
});

test("a transaction pooler is sent no parameters of the session", async () => {
  tick(null);
  startThread({ transactionPooler: true });
  await nextRenewal();
  const connections = await db.query<{ name: string; count: string }>(
    "select application_name as name, count(*) from pg_stat_activity where datname = current_database() group by 1",
  );
  expect(connections.map(({ name }) => name)).not.toContain("lockstep heartbeat");
  expect(connections).toContainEqual({ name: "", count: "1" });
});
