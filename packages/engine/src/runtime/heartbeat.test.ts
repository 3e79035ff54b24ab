// In real time: the thread is a real one.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { ManualClock, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { Heartbeat } from "./heartbeat.ts";
import type { HeartbeatData } from "./heartbeat-thread.js";
import { LeaseMemory } from "./lease-memory.js";

const db = testDatabase();
// Generous: a busy machine starts a thread slowly.
const soon = { timeout: 10_000 };

function heartbeat(options: Partial<HeartbeatData> = {}) {
  const clock = new ManualClock();
  const memory = new LeaseMemory();
  memory.longestTimeoutMs = null;
  const failures: Error[] = [];
  const answers: unknown[] = [];
  const part = new Heartbeat({
    data: {
      databaseUrl: db.url,
      transactionPooler: false,
      workerId: randomUUID(),
      leaseMs: 900,
      heartbeatIntervalMs: 60,
      upkeepAfterMs: 5_000,
      frozenAfterMs: 300,
      doubtMs: 300,
      memory: memory.buffer,
      ...options,
    },
    clock,
    report: () => null,
    onAnswer: (answer) => answers.push(answer),
    onFailure: (error) => failures.push(error),
  });
  onTestFinished(() => part.stop());
  return { part, clock, failures, answers };
}

test("a thread that dies is told of and started again after a second", async () => {
  const unusableMemory = new SharedArrayBuffer(4);
  const { part, clock, failures } = heartbeat({ memory: unusableMemory });
  part.start();
  await clock.whenAsleep();
  expect(failures.map(({ message }) => message)).toEqual(["The heartbeat thread died and is started again."]);
  await clock.advance(999);
  expect(failures).toHaveLength(1);
  await clock.advance(1);
  await expect.poll(() => failures.length, soon).toBe(2);
});

test("a heartbeat that PostgreSQL refuses is told of", async () => {
  const { part, failures } = heartbeat({ workerId: "no uuid" });
  part.start();
  await expect.poll(() => failures.length, soon).toBeGreaterThan(1);
  expect(failures[0]).toMatchObject({ code: "22P02" });
});

test("an outage is not told of here", async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { part, failures, answers } = heartbeat({ databaseUrl: `postgres://nobody@127.0.0.1:${port}/none` });
  part.start();
  await expect.poll(() => tries, soon).toBeGreaterThan(2);
  expect({ failures, answers }).toEqual({ failures: [], answers: [] });
});

test("an unknown worker is answered once, and its thread ends by itself", async () => {
  const { part, clock, answers } = heartbeat();
  part.start();
  await expect
    .poll(() => answers, soon)
    .toEqual([{ kind: "answer", isAlive: false, cancel: [], held: null, isUpkeepDue: true }]);
  await part.stop();
  expect(clock.monotonicMs()).toBe(0);
});
