// In real time: the thread has a clock of its own and speaks to a real PostgreSQL.

import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Renewal } from "../../store/connections/heartbeat-connection.js";
import { renewal } from "../../store/connections/heartbeat-connection.js";
import { heartbeatProgram } from "./heartbeat-program.ts";
import type {
  HeartbeatData,
  HeartbeatMember,
  HeartbeatMessage,
  HeartbeatOrder,
  HeartbeatSettings,
} from "./heartbeat-thread.js";
import { LeaseMemory } from "./lease-memory.js";

const db = testDatabase();
const workerId = randomUUID();
// Generous: a busy machine starts a thread slowly.
const soon = { interval: 5, timeout: 25_000 };
let memory: LeaseMemory;
let threads: Worker[];

beforeEach(async () => {
  await db.reset();
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_lease: "1 minute" });
  memory = new LeaseMemory();
  threads = [];
});

afterEach(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
});

function startEmptyThread(options: Partial<HeartbeatSettings> = {}) {
  const workerData: HeartbeatData = {
    startedAtMs: LeaseMemory.nowMs(),
    target: { hosts: [{ connectionString: db.url }], accepts: "any" },
    asksPassword: false,
    renewal,
    transactionPooler: false,
    leaseMs: 3_000,
    heartbeatIntervalMs: 60,
    upkeepAfterMs: 5_000,
    frozenAfterMs: 60_000,
    doubtMs: 60_000,
    ...options,
  };
  const { program, execArgv } = heartbeatProgram();
  const thread = new Worker(program, { workerData, execArgv: [...execArgv] });
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
  return { answers, questions, answer, join };
}

function startThread(options: Partial<HeartbeatSettings> = {}) {
  const started = startEmptyThread(options);
  started.join({ workerId, memory: memory.buffer });
  return started;
}

function tick(longestTimeoutMs: number | null, agoMs = 0): void {
  memory.tickAtMs = LeaseMemory.nowMs() - agoMs;
  memory.longestTimeoutMs = longestTimeoutMs;
}

async function nextRenewal(): Promise<void> {
  const before = memory.renewedAtMs;
  await expect.poll(() => memory.renewedAtMs, soon).toBeGreaterThan(before);
}

/** Waits for rounds of the thread in which it renews nothing. */
async function untilNotRenewed(questions: readonly HeartbeatMessage[]): Promise<void> {
  const rounds = 4;
  let [heard, renewedAtMs] = [questions.length, memory.renewedAtMs];
  const isQuiet = () => {
    if (memory.renewedAtMs !== renewedAtMs) [heard, renewedAtMs] = [questions.length, memory.renewedAtMs];
    return questions.length - heard >= rounds;
  };
  await expect.poll(isQuiet, soon).toBe(true);
}

describe("a main thread that stands still", () => {
  test("longer than its handlers may take and the grace is renewed no more, until it moves again", async () => {
    tick(60_000, 90_000);
    const { questions } = startThread({ frozenAfterMs: 60_000 });
    await nextRenewal();
    await nextRenewal();
    tick(60_000, 120_001);
    await untilNotRenewed(questions);
    tick(0);
    await nextRenewal();
  });

  test("while it holds nothing is renewed for the grace, though it leaves the thread without an answer", async () => {
    memory.tickAtMs = null;
    memory.longestTimeoutMs = 0;
    startThread({ frozenAfterMs: 60_000 });
    for (let time = 0; time < 5; time += 1) await nextRenewal();
  });

  test("while it holds nothing is renewed no more after the grace, until it answers", async () => {
    memory.tickAtMs = null;
    memory.longestTimeoutMs = 0;
    const { questions, answer } = startThread({ frozenAfterMs: 300 });
    await untilNotRenewed(questions);
    const { renewedAtMs } = memory;
    const renewedOnAnswer = () => {
      answer();
      return memory.renewedAtMs;
    };
    await expect.poll(renewedOnAnswer, soon).toBeGreaterThan(renewedAtMs);
  });

  test("is renewed as long as it may when a handler has no limit", async () => {
    tick(null, 3_600_000);
    startThread({ frozenAfterMs: 10 });
    await nextRenewal();
    await nextRenewal();
  });
});

describe("a heartbeat in doubt", () => {
  test("asks what the worker holds until one sent after the time of doubt is answered", async () => {
    tick(null);
    memory.doubtAtMs = LeaseMemory.nowMs();
    const { answers } = startThread({ doubtMs: 60_000 });
    await expect.poll(() => answers.length, soon).toBeGreaterThan(2);
    expect(answers.map(({ held }) => held)).not.toContain(null);
    expect(memory.doubtAtMs).not.toBeNull();
    memory.doubtAtMs = LeaseMemory.nowMs() - 60_000;
    await expect.poll(() => memory.doubtAtMs, soon).toBeNull();
    await expect.poll(() => answers.at(-1)?.held, soon).toBeNull();
  });
});

test("a renewal counts from before it was sent, however long its answer takes", async () => {
  tick(null);
  // A pooler's connections have no limit on the server's side, which would end the wait for the lock.
  startThread({ leaseMs: 60_000, transactionPooler: true });
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
  const { join } = startEmptyThread({ heartbeatIntervalMs: 60_000 });
  tick(null);
  const joinedAtMs = LeaseMemory.nowMs();
  join({ workerId, memory: memory.buffer });
  await nextRenewal();
  expect(memory.renewedAtMs - joinedAtMs).toBeGreaterThan(990);
});

describe("two workers of one thread", () => {
  const otherId = randomUUID();
  let otherMemory: LeaseMemory;

  beforeEach(async () => {
    await db.call("register_worker", { p_worker_id: otherId, p_name: "o", p_lease: "1 minute" });
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
    // A heartbeat of both does not get through.
    await expect.poll(() => otherMemory.renewedAtMs, soon).toBeGreaterThan(lockedAtMs);
    expect(memory.renewedAtMs).toBeLessThan(lockedAtMs);
    await holder.query("commit");
    await nextRenewal();
    await expect.poll(() => memory.renewedAtMs === otherMemory.renewedAtMs, soon).toBe(true);
  });

  test("hear in turns that the fleet's upkeep is overdue", async () => {
    tick(null);
    await db.query("update lockstep.upkeep set done_at = clock_timestamp() - interval '1 hour'");
    // Patient with PostgreSQL: after a failure they are renewed one by one, and each hears it.
    const { answers, join } = startThread({ leaseMs: 60_000, transactionPooler: true });
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
  const connections = () =>
    db.query<{ name: string; count: string }>(
      "select application_name as name, count(*) from pg_stat_activity where datname = current_database() group by 1",
    );
  // Those of the tests before end in their own time.
  await expect.poll(connections, soon).toContainEqual({ name: "", count: "1" });
  expect((await connections()).map(({ name }) => name)).not.toContain("lockstep heartbeat");
});
