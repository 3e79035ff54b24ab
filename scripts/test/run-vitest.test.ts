import { expect, test } from "vitest";
import { count } from "./run-vitest.ts";

const file = (outcome: "fine" | "failed", ...tests: [state: string, title: string][]) => ({
  hasFailed: outcome === "failed",
  tests: tests.map(([state, title]) => ({ state, title })),
});

test("tests are counted and those not run are named", () => {
  const files = [
    file("failed", ["passed", "a"], ["failed", "b"], ["skipped", "c needs root"]),
    file("fine", ["passed", "d"]),
  ];
  expect(count({ files }, 1)).toEqual({ passed: 2, failed: 1, notRun: ["c needs root"] });
});

test("a file that does not load is a failure", () => {
  expect(count({ files: [file("fine", ["passed", "a"]), file("failed")] }, 1)).toMatchObject({
    passed: 1,
    failed: 1,
  });
});

test("a run that fails outside of its tests is a failure", () => {
  expect(count({ files: [file("fine", ["passed", "a"])] }, 1)).toMatchObject({ passed: 1, failed: 1 });
});

test("a run that leaves no report is a failure", () => {
  expect(count(undefined, 0)).toEqual({ passed: 0, failed: 1, notRun: [] });
});
