import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { LeaseMemory } from "./lease-memory.js";

function bothSides(): [LeaseMemory, LeaseMemory] {
  const memory = new LeaseMemory();
  return [memory, new LeaseMemory(memory.buffer)];
}

test("what one side writes, the other reads", () => {
  const [here, there] = bothSides();
  here.tickAtMs = 123_456_789_012.345;
  here.longestTimeoutMs = 300_000;
  there.renewedAtMs = 5.5;
  expect(there).toMatchObject({ tickAtMs: 123_456_789_012.345, longestTimeoutMs: 300_000 });
  expect(here.renewedAtMs).toBe(5.5);
});

test("no limit and no handler are two things", () => {
  const [here, there] = bothSides();
  here.longestTimeoutMs = null;
  expect(there.longestTimeoutMs).toBeNull();
  here.longestTimeoutMs = 0;
  expect(there.longestTimeoutMs).toBe(0);
});

test("a main thread that holds nothing is not said to have moved at any time", () => {
  const [here, there] = bothSides();
  here.tickAtMs = null;
  expect(there.tickAtMs).toBeNull();
});

describe("a doubt", () => {
  test("is not there at first, also for the side that comes second", () => {
    const [here, there] = bothSides();
    expect([here.doubtAtMs, there.doubtAtMs]).toEqual([null, null]);
  });

  test("ends when it is answered", () => {
    const [here, there] = bothSides();
    here.doubtAtMs = 1_000.125;
    there.endDoubt(there.doubtAtMs ?? 0);
    expect(here.doubtAtMs).toBeNull();
  });

  test("stays when a newer one has come before its answer", () => {
    const [here, there] = bothSides();
    here.doubtAtMs = 1_000;
    const answered = there.doubtAtMs ?? 0;
    here.doubtAtMs = 2_000;
    there.endDoubt(answered);
    expect(here.doubtAtMs).toBe(2_000);
  });
});

/** What a thread's clock says after it has caught up with these instants. In a thread of its own: the clock stays so. */
async function clockAfter(...instantsMs: number[]): Promise<number> {
  const thread = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     import(workerData.module).then(({ LeaseMemory }) => {
       for (const ms of workerData.instantsMs) LeaseMemory.catchUp(ms);
       parentPort.postMessage(LeaseMemory.nowMs());
     });`,
    {
      eval: true,
      execArgv: [],
      workerData: { module: import.meta.resolve("./lease-memory.js"), instantsMs },
    },
  );
  const [nowMs] = await once(thread, "message");
  return nowMs;
}

test("a thread whose clock is behind catches up with the main thread, and no clock is set back", async () => {
  const minuteMs = 60_000;
  const nowMs = LeaseMemory.nowMs();
  const caughtUp = await clockAfter(nowMs + 10 * minuteMs, nowMs - minuteMs);
  expect(caughtUp).toBeGreaterThanOrEqual(nowMs + 10 * minuteMs);
  expect(caughtUp).toBeLessThan(nowMs + 15 * minuteMs);
  const shared = await clockAfter(nowMs - minuteMs);
  expect(shared).toBeGreaterThanOrEqual(nowMs);
  expect(shared).toBeLessThan(nowMs + minuteMs);
});
