import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import type { EndingSignal } from "../session/io.ts";
import { StopOrders } from "./stop-orders.ts";

function orders() {
  const clock = new ManualClock(new Date("2027-01-01T12:00:00Z"));
  let send: (signal: EndingSignal) => void = () => {};
  const given = new StopOrders({
    clock,
    onSignal(listener) {
      send = listener;
      return () => {
        send = () => {};
      };
    },
  });
  return { given, clock, send: (signal: EndingSignal) => send(signal) };
}

test("the first order drains, the second aborts", async () => {
  const { given, clock, send } = orders();
  send("SIGTERM");
  expect([given.drain.aborted, given.abort.aborted]).toEqual([true, false]);
  await clock.advance(1_000);
  send("SIGINT");
  expect([given.abort.aborted, given.signal]).toEqual([true, "SIGINT"]);
});

test("a Ctrl-C that npm passes on a second time is one order", async () => {
  const { given, clock, send } = orders();
  send("SIGINT");
  await clock.advance(20);
  send("SIGINT");
  expect([given.drain.aborted, given.abort.aborted]).toEqual([true, false]);
});

test("after the end nothing is heard any more", () => {
  const { given, send } = orders();
  given.stopListening();
  send("SIGINT");
  expect(given.drain.aborted).toBe(false);
});
