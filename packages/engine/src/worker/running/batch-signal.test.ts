import { expect, test } from "vitest";
import type { StageContext } from "../../jobs/pipelines/stage-context.ts";
import { BatchSignal } from "./batch-signal.ts";

/** So many jobs, of which a signal is all that is asked. */
function jobs(count: number) {
  const controllers = Array.from({ length: count }, () => new AbortController());
  const contexts = controllers.map(({ signal }) => ({ signal }) as StageContext);
  return { contexts, abort: (index: number, reason = "told") => controllers[index]?.abort(reason) };
}

test("it aborts with the last of the jobs, not before", () => {
  const { contexts, abort } = jobs(3);
  const { signal } = new BatchSignal(contexts);
  abort(0);
  abort(2);
  expect(signal.aborted).toBe(false);
  abort(1);
  expect(signal.aborted).toBe(true);
});

test("jobs that were told before it was first asked for count too", () => {
  const { contexts, abort } = jobs(2);
  const call = new BatchSignal(contexts);
  abort(0);
  abort(1, "timeout");
  expect(call.signal.aborted).toBe(true);
});

test("a job that has ended is not waited for", () => {
  const { contexts, abort } = jobs(3);
  const call = new BatchSignal(contexts);
  const [first, second] = contexts;
  if (first === undefined || second === undefined) throw new Error("There are three.");
  call.ended(first);
  const { signal } = call;
  abort(2, "cancel");
  expect(signal.aborted).toBe(false);
  call.ended(second);
  expect(signal.reason).toBe("cancel");
});

test("it does not abort when all jobs have ended without being told", () => {
  const { contexts } = jobs(2);
  const call = new BatchSignal(contexts);
  const { signal } = call;
  for (const context of contexts) call.ended(context);
  expect(signal.aborted).toBe(false);
});
