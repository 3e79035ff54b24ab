// In real time: the thread has a clock of its own and speaks to a real PostgreSQL.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import type { Renewal } from "../store/heartbeat-connection.js";
import type {
  HeartbeatMember,
  HeartbeatMessage,
  HeartbeatOrder,
  HeartbeatSettings,
} from "./heartbeat-thread.js";
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

function startEmptyThread(options: Partial<HeartbeatSettings> = {}) {
  const workerData: HeartbeatSettings = {
    databaseUrl: db.url,
    transactionPooler: false,
    leaseMs: 900,
    heartbeatIntervalMs: 60,
    upkeepAfterMs: 5_000,
    frozenAfterMs: 300,
    doubtMs: 300,
    ...options,
  };
  const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), { workerData, execArgv: [] });
  threads.push(thread);
  const tell = (order: HeartbeatOrder) => thread.postMessage(order);
  const answers: Renewal[] = [];
  const questions: HeartbeatMessage[] = [];
  thread.on("message", (message: HeartbeatMessage) => {
    if (message.kind === "answers") answers.push(...message.answers);
    if (message.kind === "report") questions.push(message);
  });
  const join = (member: HeartbeatMember) => tell({ kind: "join", member });
  /** What the main thread says to the question of how it is. */
  const answer = () => tell({ kind: "report", reports: new Map() });
  return { thread, answers, questions, answer, join };
}

function startThread(options: Partial<HeartbeatSettings> = {}) {
  const started = startEmptyThread(options);
  started.join({ workerId, memory: memory.buffer });
  return started;
}

function tick(longestTimeoutMs: number | null): void {
  memory.tickAtMs = LeaseMemory.nowMs();
  memory.longestTimeoutMs = longestTimeoutMs;
}

async function nextRenewal(): Promise<void> {
  const before = memory.renewedAtMs;
  await expect.poll(() => memory.renewedAtMs, soon).toBeGreaterThan(before);
}

async function untilMs(ms: number): Promise<void> {
  await systemClock.sleep(ms - LeaseMemory.nowMs());
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
    const beganAtMs = LeaseMemory.nowMs();
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
    const endsAtMs = LeaseMemory.nowMs() + 700;
    while (LeaseMemory.nowMs() < endsAtMs) await nextRenewal();
  });
});

describe("a heartbeat in doubt", () => {
  test("asks what the worker holds until one sent after the time of doubt is answered", async () => {
    tick(null);
    const { answers } = startThread({ doubtMs: 600 });
    await nextRenewal();
    answers.length = 0;
    memory.doubtAtMs = LeaseMemory.nowMs();
    const { doubtAtMs } = memory;
    await expect.poll(() => memory.doubtAtMs, soon).toBeNull();
    const endedAtMs = LeaseMemory.nowMs();
    await nextRenewal();
    await nextRenewal();
    expect(endedAtMs - (doubtAtMs ?? 0)).toBeGreaterThanOrEqual(600);
    const held = answers.map((answer) => answer.held);
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
  const answeredAfterMs = LeaseMemory.nowMs();
  await other.query("commit");
  await expect.poll(() => memory.renewedAtMs, soon).toBeGreaterThan(renewedAtMs);
  expect(memory.renewedAtMs).toBeLessThan(answeredAfterMs);
});

test("who joins a thread that waited for somebody is renewed soon, though not at once", async () => {
  const { thread, join } = startEmptyThread({ heartbeatIntervalMs: 900 });
  await once(thread, "online");
  await untilMs(LeaseMemory.nowMs() + 1_000);
  tick(null);
  const joinedAtMs = LeaseMemory.nowMs();
  join({ workerId, memory: memory.buffer });
  await nextRenewal();
  expect(memory.renewedAtMs - joinedAtMs).toBeGreaterThan(250);
  expect(memory.renewedAtMs - joinedAtMs).toBeLessThan(900);
});

describe("two workers of one thread", () => {
  const otherId = randomUUID();
  let otherMemory: LeaseMemory;

  beforeEach(async () => {
    await db.call("register_worker", { p_worker_id: otherId, p_name: "o", p_lease: "900 milliseconds" });
    otherMemory = new LeaseMemory();
    otherMemory.longestTimeoutMs = null;
  });

  test("are renewed one by one when the row of one is locked, and together again afterwards", async () => {
    tick(null);
    const { join } = startThread();
    join({ workerId: otherId, memory: otherMemory.buffer });
    await expect.poll(() => otherMemory.renewedAtMs, soon).toBeGreaterThan(0);
    const holder = await db.connect();
    await holder.query("begin");
    await holder.query("select 1 from lockstep.workers where id = $1 for update", [workerId]);
    const lockedAtMs = LeaseMemory.nowMs();
    // Sent after a heartbeat of both could not get through.
    await expect.poll(() => otherMemory.renewedAtMs, soon).toBeGreaterThan(lockedAtMs + 200);
    expect(memory.renewedAtMs).toBeLessThan(lockedAtMs + 60);
    await holder.query("commit");
    await nextRenewal();
    await expect.poll(() => memory.renewedAtMs === otherMemory.renewedAtMs, soon).toBe(true);
  });

  test("hear in turns that the fleet's upkeep is overdue", async () => {
    tick(null);
    await db.query("update lockstep.upkeep set done_at = clock_timestamp() - interval '1 hour'");
    const { answers, join } = startThread();
    join({ workerId: otherId, memory: otherMemory.buffer });
    await expect.poll(() => answers.some((answer) => answer.workerId === otherId), soon).toBe(true);
    answers.length = 0;
    await expect.poll(() => answers.length, soon).toBeGreaterThan(7);
    const told = answers.slice(0, 8).filter(({ isUpkeepDue }) => isUpkeepDue);
    expect(told).toHaveLength(4);
    expect(new Set(told.map((answer) => answer.workerId))).toEqual(new Set([workerId, otherId]));
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
