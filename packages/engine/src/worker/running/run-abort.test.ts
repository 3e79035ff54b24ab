import { expect, test } from "vitest";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { workStagesOf } from "../../jobs/pipelines/work-stage.ts";
import { type AbortReason, RunAbort } from "./run-abort.ts";

const pipeline = definePipeline("orders").stage("read", { timeoutMs: 50 }, () => 1);
const [stage] = workStagesOf(pipeline, new Map([["read", 1]]));
const done: Outcome = { kind: "done", value: 1 };
const retry: Outcome = { kind: "retry", error: { name: "Error", message: "oh" }, afterMs: null };

function outcomeAfter(reason: AbortReason, outcome: Outcome): Outcome {
  if (stage === undefined) throw new Error("The pipeline has a stage.");
  const abort = new RunAbort();
  abort.abort(reason, 0);
  return abort.outcomeOf(outcome, stage, 2);
}

test("the first reason stands", () => {
  const abort = new RunAbort();
  abort.abort("cancel", 5);
  abort.abort("shutdown", 7);
  expect([abort.reason, abort.atMs]).toEqual(["cancel", 5]);
  expect(abort.signal.reason).toMatchObject({ name: "AbortError", reason: "cancel" });
});

test("a signal that is asked for after the abort has aborted already", () => {
  const abort = new RunAbort();
  abort.abort("timeout", 0);
  expect(abort.signal.aborted).toBe(true);
});

test("an attempt past its timeout is retried, even if its handler came to an end", () => {
  expect(outcomeAfter("timeout", done)).toMatchObject({
    kind: "retry",
    timedOut: true,
    error: { code: "timeout", message: expect.stringContaining("orders/read") },
  });
});

test.each([
  ["cancel", "done", "done"],
  ["cancel", "retry", "release"],
  ["lease_lost", "done", "done"],
  ["lease_lost", "retry", "release"],
  ["shutdown", "done", "done"],
  ["shutdown", "retry", "release"],
] as const)("after %s, an attempt that ended as %s ends as %s", (reason, ended, expected) => {
  expect(outcomeAfter(reason, ended === "done" ? done : retry).kind).toBe(expected);
});
