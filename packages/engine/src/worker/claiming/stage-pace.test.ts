import { expect, test } from "vitest";
import { StagePace } from "./stage-pace.ts";

/** Lets jobs end at an even pace for a while; says how many may be claimed ahead then. */
function aheadAt(given: { jobsPerSecond: number; durationMs: number; seconds: number }): number {
  const pace = new StagePace(10, 0);
  let ahead = 0;
  let owed = 0;
  for (let nowMs = 10; nowMs <= given.seconds * 1_000; nowMs += 10) {
    owed += given.jobsPerSecond / 100;
    for (; owed >= 1; owed -= 1) pace.ended(given.durationMs);
    ahead = pace.jobsAhead(nowMs);
  }
  return ahead;
}

test("nothing is claimed ahead before any job has ended", () => {
  expect(new StagePace(10, 0).jobsAhead(1_000)).toBe(0);
});

test("nothing is claimed ahead of slow jobs", () => {
  expect(aheadAt({ jobsPerSecond: 5, durationMs: 2_000, seconds: 30 })).toBe(0);
});

test("nothing is claimed ahead of slow jobs that happen to end in one moment", () => {
  const pace = new StagePace(10, 0);
  pace.jobsAhead(59_995);
  for (let job = 0; job < 10; job += 1) pace.ended(60_000);
  expect(pace.jobsAhead(60_000)).toBe(0);
});

test("a tenth of a second's worth is claimed ahead of fast ones", () => {
  expect(aheadAt({ jobsPerSecond: 1_000, durationMs: 10, seconds: 2 })).toBeCloseTo(100, -1);
  expect(aheadAt({ jobsPerSecond: 10_000, durationMs: 1, seconds: 2 })).toBeCloseTo(1_000, -2);
});

test("handlers that take no time at all set no limit of their own", () => {
  expect(aheadAt({ jobsPerSecond: 1_000, durationMs: 0, seconds: 2 })).toBeCloseTo(100, -1);
});

test("it forgets a fast time within a second of slowness", () => {
  const pace = new StagePace(10, 0);
  for (let job = 0; job < 1_000; job += 1) pace.ended(0.1);
  expect(pace.jobsAhead(100)).toBeGreaterThan(100);
  let nowMs = 100;
  while (pace.jobsAhead(nowMs) > 0) nowMs += 50;
  expect(nowMs).toBeLessThan(1_100);
});

test("a look that comes at once after another does not upset the measure", () => {
  const pace = new StagePace(10, 0);
  for (let job = 0; job < 100; job += 1) pace.ended(1);
  const ahead = pace.jobsAhead(100);
  pace.ended(1);
  expect(pace.jobsAhead(101)).toBe(ahead);
});
