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
