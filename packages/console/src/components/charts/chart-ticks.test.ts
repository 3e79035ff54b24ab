import { expect, test } from "vitest";
import { logTicks, niceTicks } from "./chart-ticks.ts";

test("an axis ends on a round number above all values", () => {
  expect(niceTicks(412)).toEqual([0, 200, 400, 600]);
  expect(niceTicks(3)).toEqual([0, 1, 2, 3]);
  expect(niceTicks(0)).toEqual([0, 1]);
});

test("an axis of times goes in round spans around all values", () => {
  expect(logTicks([420, null, 38_000])).toEqual([100, 1_000, 10_000, 60_000]);
  expect(logTicks([null])).toEqual([100, 1_000]);
  expect(logTicks([1_000])).toEqual([1_000, 10_000]);
});
