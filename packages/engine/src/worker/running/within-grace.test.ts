import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { withinGrace } from "./within-grace.ts";

function aCall() {
  const clock = new ManualClock();
  const stop = new AbortController();
  let answer = (_answer: string) => {};
  const call = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const waiting = withinGrace(call, { signal: stop.signal, clock, graceMs: 5_000 });
  return { clock, stop, answer, waiting };
}

test("without an abort the answer is waited for as long as it takes", async () => {
  const { clock, answer, waiting } = aCall();
  await clock.advance(3_600_000);
  answer("at last");
  expect(await waiting).toBe("at last");
});

test("after an abort the answer has the grace to come", async () => {
  const { clock, stop, answer, waiting } = aCall();
  stop.abort(new Error("stop"));
  await clock.advance(4_999);
  answer("in time");
  expect(await waiting).toBe("in time");
});

test("when the grace is over the reason of the abort is thrown", async () => {
  const { clock, stop, waiting } = aCall();
  const ended = expect(waiting).rejects.toThrow("stop");
  stop.abort(new Error("stop"));
  await clock.advance(5_000);
  await ended;
});

test("what was aborted before has the same grace", async () => {
  const clock = new ManualClock();
  const call = new Promise(() => {});
  const signal = AbortSignal.abort(new Error("stopped before"));
  const ended = expect(withinGrace(call, { signal, clock, graceMs: 10 })).rejects.toThrow("stopped before");
  await clock.advance(10);
  await ended;
});
