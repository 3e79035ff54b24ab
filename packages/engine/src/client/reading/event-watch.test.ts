import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import type { JobEvent } from "../../jobs/reading/job-event.ts";
import { EventWatch } from "./event-watch.ts";

const event: JobEvent = {
  kind: "job.completed",
  cursor: "1",
  at: new Date(0),
  jobId: "a",
  pipeline: "orders",
  stage: "read",
  owner: "ada",
  detail: {},
};

/** Whether a sleep of a second that begins now is over at once. */
async function endsAtOnce(watch: EventWatch, signal = new AbortController().signal): Promise<boolean> {
  const clock = new ManualClock();
  let isOver = false;
  const sleeping = watch.sleep(clock, 1_000, signal).then(() => {
    isOver = true;
  });
  await clock.advance(999);
  const wasOver = isOver;
  await clock.advance(1);
  await sleeping;
  return wasOver;
}

test.each([
  [{}, true],
  [{ owner: "ada", pipeline: "orders", jobId: "a" }, true],
  [{ owner: "ben" }, false],
  [{ pipeline: "letters" }, false],
  [{ jobId: "b" }, false],
])("a watch for %o that hears of the event ends its sleep: %s", async (wanted, isWanted) => {
  const watch = new EventWatch({ owner: null, pipeline: null, jobId: null, ...wanted });
  watch.hear(event);
  expect(await endsAtOnce(watch)).toBe(isWanted);
});

test("every watch wants to know that the log has begun anew", async () => {
  const watch = new EventWatch({ owner: "ben", pipeline: null, jobId: null });
  watch.hear({ kind: "events.reset", cursor: "1" });
  expect(await endsAtOnce(watch)).toBe(true);
});

test("what was heard before the reset is forgotten", async () => {
  const watch = new EventWatch({ owner: null, pipeline: null, jobId: null });
  watch.tell();
  watch.reset();
  expect(await endsAtOnce(watch)).toBe(false);
});

test("a sleep does not begin after its signal has aborted", async () => {
  const watch = new EventWatch({ owner: null, pipeline: null, jobId: null });
  expect(await endsAtOnce(watch, AbortSignal.abort())).toBe(true);
});

test("news, or the signal, ends a sleep under way", async () => {
  const clock = new ManualClock();
  const watch = new EventWatch({ owner: null, pipeline: null, jobId: null });
  const ending = new AbortController();
  const told = watch.sleep(clock, 1_000, ending.signal);
  watch.hear(event);
  await told;
  watch.reset();
  const aborted = watch.sleep(clock, 1_000, ending.signal);
  ending.abort();
  await aborted;
  expect(clock.monotonicMs()).toBe(0);
});
