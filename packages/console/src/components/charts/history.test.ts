import { expect, test } from "vitest";
import type { HistoryStep } from "../../api/contract.ts";
import { ratePerMinute, summedHistory } from "./history.ts";

const step = (at: string, stage: string, counts: Partial<HistoryStep>): HistoryStep => ({
  at,
  stage,
  entered: 0,
  started: 0,
  advanced: 0,
  completed: 0,
  retrying: 0,
  failed: 0,
  snoozed: 0,
  released: 0,
  lost: 0,
  skipped: 0,
  cancelled: 0,
  waitP50Ms: null,
  waitP95Ms: null,
  runP50Ms: null,
  runP95Ms: null,
  ...counts,
});

test("stages are summed moment by moment; only the first stage's arrivals are new jobs", () => {
  const steps = [
    step("2026-01-31T12:01:00.000Z", "ask", { entered: 4, completed: 3, runP95Ms: 10 }),
    step("2026-01-31T12:00:00.000Z", "read", { entered: 5, failed: 1 }),
    step("2026-01-31T12:01:00.000Z", "read", { entered: 2, failed: 1, runP95Ms: 40 }),
  ];
  expect(summedHistory(steps, new Set(["read"]))).toMatchObject([
    { added: 5, completed: 0, failed: 1, runP95Ms: null },
    { added: 2, completed: 3, failed: 1, runP95Ms: 40 },
  ]);
});

test("a rate leaves out the step that is still filling", () => {
  expect(ratePerMinute([10, 20, 30, 1], 60_000, 120_000)).toBe(25);
  expect(ratePerMinute([7], 60_000)).toBe(0);
});
