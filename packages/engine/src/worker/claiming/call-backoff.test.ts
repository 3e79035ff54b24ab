import { expect, test } from "vitest";
import { CallBackoff } from "./call-backoff.ts";

const aBackoff = (random = 1) => new CallBackoff(() => random);

/** Fails calls one after the other, each when the pause is over; returns the pauses. */
function pausesOf(backoff: CallBackoff, failures: number, isAway: boolean): number[] {
  let nowMs = 0;
  return Array.from({ length: failures }, () => {
    backoff.failed(backoff.round, isAway, nowMs);
    const pauseMs = backoff.leftMs(nowMs);
    nowMs += pauseMs;
    return pauseMs;
  });
}

test("the first call that finds the database away is repeated at once, and the pauses grow to five seconds", () => {
  expect(pausesOf(aBackoff(), 9, true)).toEqual([0, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test("any other failure pauses at once", () => {
  expect(pausesOf(aBackoff(), 2, false)).toEqual([200, 400]);
});

test("a pause is spread over its second half, so that workers do not come in step", () => {
  expect(pausesOf(aBackoff(0), 2, false)).toEqual([100, 200]);
});

test("calls that were under way together count as one failure", () => {
  const backoff = aBackoff();
  const { round } = backoff;
  backoff.failed(round, true, 0);
  backoff.failed(round, true, 0);
  expect(backoff.leftMs(0)).toBe(0);
});

test("a success makes the next failure the first again", () => {
  const backoff = aBackoff();
  pausesOf(backoff, 5, true);
  backoff.succeeded();
  backoff.end();
  expect(pausesOf(backoff, 2, true)).toEqual([0, 200]);
});
