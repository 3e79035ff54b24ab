import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { settledWithin } from "./settled-within.ts";

test.each([
  ["has an answer", () => Promise.resolve(1)],
  ["fails", () => Promise.reject(new Error("failed"))],
])("work that %s ends the waiting", async (_how, work) => {
  await settledWithin(1_000, work(), new ManualClock());
});

test("work that hangs is waited for until the limit, and no longer", async () => {
  const clock = new ManualClock();
  let isOver = false;
  void settledWithin(1_000, new Promise(() => {}), clock).then(() => {
    isOver = true;
  });
  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
});

test.each(["before", "while"])("a signal that aborts %s it waits ends the waiting", async (when) => {
  const cut = new AbortController();
  if (when === "before") cut.abort();
  const waiting = settledWithin(1_000, new Promise(() => {}), new ManualClock(), cut.signal);
  cut.abort();
  await waiting;
});
