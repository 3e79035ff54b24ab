import { expect, test } from "vitest";
import { everyAsCron } from "./every-as-cron.ts";

test.each([
  [1_000, "* * * * * *"],
  [15_000, "*/15 * * * * *"],
  [60_000, "* * * * *"],
  [300_000, "*/5 * * * *"],
  [3_600_000, "0 * * * *"],
  [21_600_000, "0 */6 * * *"],
  [86_400_000, "0 0 * * *"],
])("every %i ms is %s", (everyMs, cron) => {
  expect(everyAsCron(everyMs)).toBe(cron);
});

test.each([0, 1, 1_500, 7_000, 420_000, 18_000_000, 172_800_000])("every %i ms is no pattern", (everyMs) => {
  expect(everyAsCron(everyMs)).toBeNull();
});
