import type { Attempt, AttemptLogLine } from "lockstep";
import { expect, test } from "vitest";
import { FollowedLog } from "./attempt-log-lines.ts";

const line = (second: number, message: string): AttemptLogLine => ({
  ...{ at: new Date(Date.UTC(2026, 4, 1, 8, 0, second)), level: "info", message },
});
const attempt = (number: number, log?: AttemptLogLine[]): Attempt => ({
  ...{ stage: "read", attempt: number, outcome: "processing", workerId: "w", endedAt: null },
  claimedAt: new Date(Date.UTC(2026, 4, 1, 7, number)),
  ...(log && { log }),
});
const told = (followed: FollowedLog, ...attempts: Attempt[]) =>
  followed.newLinesOf({ attempts }).map(({ message }) => message);

test("each line is told once, also those of one instant", () => {
  const followed = new FollowedLog();
  const [a, b, c] = [line(1, "a"), line(1, "b"), line(1, "c")];
  expect(told(followed, attempt(1))).toEqual([]);
  expect(told(followed, attempt(1, [a, b]))).toEqual(["a", "b"]);
  expect(told(followed, attempt(1, [a, b]))).toEqual([]);
  expect(told(followed, attempt(1, [a, b, c]))).toEqual(["c"]);
});

test("each attempt has lines of its own", () => {
  const followed = new FollowedLog();
  const [first, again] = [attempt(1, [line(1, "a")]), attempt(2, [line(9, "a")])];
  expect(told(followed, first)).toEqual(["a"]);
  expect(told(followed, first, again)).toEqual(["a"]);
  expect(told(followed, first, again)).toEqual([]);
});

test("where the last line told was not kept, the gap is told and what comes after it", () => {
  const followed = new FollowedLog();
  const first = line(1, "first");
  expect(told(followed, attempt(1, [first, line(2, "second")]))).toEqual(["first", "second"]);
  const gap = line(9, "7 lines were left out between these");
  expect(told(followed, attempt(1, [first, gap, line(8, "ninth")]))).toEqual([gap.message, "ninth"]);
});
