// In real time: the thread has a clock of its own and speaks to a real PostgreSQL.
import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import type { HeartbeatData, HeartbeatMessage } from "./heartbeat-thread.js";
import { LeaseMemory } from "./lease-memory.js";

const db = testDatabase();
const workerId = randomUUID();
// Generous: a busy machine starts a thread slowly.
const soon = { interval: 5, timeout: 10_000 };
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

function startThread(options: Partial<HeartbeatData> = {}) {
  const workerData: HeartbeatData = {
    databaseUrl: db.url,
    transactionPooler: false,
    workerId,
    leaseMs: 900,
    heartbeatIntervalMs: 60,
    upkeepAfterMs: 5_000,
    frozenAfterMs: 300,
    doubtMs: 300,
    memory: memory.buffer,
    ...options,
  };
  const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), { workerData, execArgv: [] });
  threads.push(thread);
  const answers: HeartbeatMessage[] = [];
  const questions: HeartbeatMessage[] = [];
  thread.on("message", (message: HeartbeatMessage) => {
    if (message.kind === "answer") answers.push(message);
    if (message.kind === "report") questions.push(message);
  });
  /** What the main thread says to the question of how it is. */
  const answer = () => thread.postMessage({ kind: "report", report: null });
  return { answers, questions, answer };
}

function tick(longestTimeoutMs: number | null): void {
  memory.tickAtMs = memory.nowMs();
  memory.longestTimeoutMs = longestTimeoutMs;
}

async function nextRenewal(): Promise<void> {
  const before = memory.renewedAtMs;
  await expect.poll(() => memory.renewedAtMs, soon).toBeGreaterThan(before);
}

async function untilMs(ms: number): Promise<void> {
  await systemClock.sleep(ms - memory.nowMs());
}

describe("a main thread that stands still", () => {
  test("longer than its handlers may take and the grace is renewed no more, until it moves again", async () => {
    tick(null);
    startThread({ frozenAfterMs: 500 });
    await nextRenewal();
    tick(300);
    const tickAtMs = Number(memory.tickAtMs);
    await untilMs(tickAtMs + 300 + 500 + 400);
    const { renewedAtMs } = memory;
    expect(renewedAtMs - tickAtMs).toBeGreaterThan(300);
    await untilMs(tickAtMs + 1_800);
    expect(memory.renewedAtMs).toBe(renewedAtMs);
    tick(0);
    await nextRenewal();
  });

  test("while it holds nothing is renewed until it has left the thread without an answer for the grace", async () => {
    memory.tickAtMs = null;
    memory.longestTimeoutMs = 0;
    const { questions, answer } = startThread({ frozenAfterMs: 500 });
    await expect.poll(() => questions.length, soon).toBeGreaterThan(0);
    answer();
    await nextRenewal();
    const beganAtMs = memory.nowMs();
    await untilMs(beganAtMs + 1_200);
    const { renewedAtMs } = memory;
    expect(renewedAtMs - beganAtMs).toBeGreaterThan(200);
    expect(renewedAtMs - beganAtMs).toBeLessThan(1_000);
    answer();
    await nextRenewal();
  });

  test("is renewed as long as it may when a handler has no limit", async () => {
    tick(null);
    startThread({ frozenAfterMs: 10 });
    const endsAtMs = memory.nowMs() + 700;
    while (memory.nowMs() < endsAtMs) await nextRenewal();
  });
});

describe("a heartbeat in doubt", () => {
  test("asks what the worker holds until one sent after the time of doubt is answered", async () => {
    tick(null);
    const { answers } = startThread({ doubtMs: 600 });
    await nextRenewal();
    answers.length = 0;
    memory.doubtAtMs = memory.nowMs();
    const { doubtAtMs } = memory;
    await expect.poll(() => memory.doubtAtMs, soon).toBeNull();
    const endedAtMs = memory.nowMs();
    await nextRenewal();
    await nextRenewal();
    expect(endedAtMs - (doubtAtMs ?? 0)).toBeGreaterThanOrEqual(600);
    const held = answers.map((answer) => answer.kind === "answer" && answer.held);
    expect(held.filter((list) => list !== null).length).toBeGreaterThan(1);
    expect(held.at(-1)).toBeNull();
  });
});

test("a renewal counts from before it was sent, however long its answer takes", async () => {
  tick(null);
  startThread();
  await nextRenewal();
  const other = await db.connect();
  await other.query("begin; select 1 from lockstep.workers for update");
  const isWaiting = () =>
    db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  await expect.poll(isWaiting, soon).toHaveLength(1);
  const { renewedAtMs } = memory;
  const answeredAfterMs = memory.nowMs();
  await other.query("commit");
  await expect.poll(() => memory.renewedAtMs, soon).toBeGreaterThan(renewedAtMs);
  expect(memory.renewedAtMs).toBeLessThan(answeredAfterMs);
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
