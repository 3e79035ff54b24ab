import { PermanentError } from "lockstep";
import { expect, test } from "vitest";
import { PageBudget } from "./page-budget.ts";
import { defaultReadingLimits } from "./reading-limits.ts";

const limits = { ...defaultReadingLimits, memoryBytes: 1_000, cpuMsPerPage: 60_000, wallMsPerPage: 120_000 };
const usage = (cpuMs: number, memoryBytes = 0) => ({ cpuMs, memoryBytes });

test("a document that takes too much memory is refused for good", () => {
  const budget = new PageBudget(limits, 0);
  expect(budget.breach(usage(0, 1_000), 0)).toBeNull();
  const breach = budget.breach(usage(0, 1_001), 0);
  expect(breach).toMatchObject({ code: "memory_limit" });
  expect(breach).toBeInstanceOf(PermanentError);
});

test("each page has a minute of processor time, however much the pages before it took", () => {
  const budget = new PageBudget(limits, 0);
  budget.started(1, 0);
  expect(budget.breach(usage(60_000), 1)).toBeNull();
  budget.ended(1);
  budget.started(2, 1);
  expect(budget.breach(usage(120_000), 2)).toBeNull();
  expect(budget.breach(usage(120_001), 2)).toMatchObject({
    code: "cpu_limit",
    message: /^Page 2 took more than 60 s/,
  });
});

test("pages side by side share their time", () => {
  const budget = new PageBudget(limits, 0);
  budget.started(1, 0);
  budget.started(2, 0);
  expect(budget.breach(usage(120_000), 1)).toBeNull();
  expect(budget.breach(usage(120_001), 1)).toMatchObject({ message: /^Page 1 with Page 2/ });
});

test("a page that only waits is stopped, and may be tried again", () => {
  const budget = new PageBudget(limits, 0);
  budget.started(1, 5_000);
  expect(budget.breach(null, 125_000)).toBeNull();
  const breach = budget.breach(null, 125_001);
  expect(breach).toMatchObject({ name: "ReadingCrashError", message: /^Page 1 took longer than 120 s/ });
  expect(breach).not.toBeInstanceOf(PermanentError);
});
