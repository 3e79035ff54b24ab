import { expect, test } from "vitest";
import type { BudgetUsage } from "../../api/contract.ts";
import { firstPeriodMs, periodsShown, usageByPeriod } from "./usage-periods.ts";

const day = 86_400_000;
const row = (periodBegan: string, spent: number): BudgetUsage => ({
  ...{ scope: "ada", periodBegan, turnsAt: null, limit: 100, isOwnLimit: false, spent, reserved: 1 },
  ...{ running: 0, attempts: 0, waiting: 0 },
});

test("a chart has every period up to the current one, also those in which nothing was spent", () => {
  const first = firstPeriodMs("2026-01-31T00:00:00.000Z", day);
  const rows = [row("2026-01-30T00:00:00.000Z", 7), row("2026-01-28T00:00:00.000Z", 5)];
  const { times, spent, reserved } = usageByPeriod(rows, first, day);
  expect(times).toHaveLength(periodsShown);
  expect(times.at(-1)?.toISOString()).toBe("2026-01-30T00:00:00.000Z");
  expect(spent.slice(-4)).toEqual([0, 5, 0, 7]);
  expect(reserved.slice(-4)).toEqual([0, 1, 0, 1]);
});
