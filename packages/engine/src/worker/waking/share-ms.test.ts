import { expect, test } from "vitest";
import { shareMs } from "./share-ms.ts";

test.each([
  [2_000, 1, 2_000],
  [2_000, 5, 10_000],
  [2_000, 10, 20_000],
  [2_000, 16, 20_000],
  [2_000, 50, 60_000],
  [2_000, 100, 120_000],
  [2_000, 1_000, 120_000],
  [60_000, 100, 120_000],
  [300_000, 100, 300_000],
])("what is done every %i ms, each of %i workers does every %i ms", (intervalMs, sharers, ms) => {
  expect(shareMs(intervalMs, sharers)).toBe(ms);
});
