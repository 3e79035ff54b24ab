import { ManualClock } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { Ticker, type TickerParts } from "./ticker.ts";

function ticker(tick: () => Promise<void>, parts: Partial<TickerParts> = {}) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const part = new Ticker({
    intervalMs: 1_000,
    clock,
    tick,
    onError: (error) => errors.push(error),
    ...parts,
  });
  onTestFinished(() => part.stop());
  return { part, clock, errors };
}

/** A tick that waits until it is let go, and how many began. */
function heldTick() {
  const letGo: (() => void)[] = [];
  let begun = 0;
  const tick = () => {
    begun += 1;
    return new Promise<void>((resolve) => letGo.push(resolve));
  };
  return { tick, begun: () => begun, letGo: () => letGo.shift()?.() };
}

test("it ticks at once, and then after each interval", async () => {
  let ticks = 0;
  const { part, clock } = ticker(async () => {
    ticks += 1;
  });
  part.start();
  await clock.whenAsleep();
  expect(ticks).toBe(1);
  await clock.advance(999);
  expect(ticks).toBe(1);
  await clock.advance(1);
  expect(ticks).toBe(2);
  await clock.advance(3_000);
  expect(ticks).toBe(5);
});

test("an interval given as a function is asked for after each tick", async () => {
  let ticks = 0;
  const { part, clock } = ticker(
    async () => {
      ticks += 1;
    },
    { intervalMs: () => ticks * 100 },
  );
  part.start();
  await clock.advance(100);
  expect(ticks).toBe(2);
  await clock.advance(199);
  expect(ticks).toBe(2);
  await clock.advance(1);
  expect(ticks).toBe(3);
});

test("woken, it ticks without waiting for its interval", async () => {
  let ticks = 0;
  const { part, clock } = ticker(async () => {
    ticks += 1;
  });
  part.start();
  await clock.whenAsleep();
  part.wake();
  await clock.advance(0);
  expect(ticks).toBe(2);
});

test("woken during a tick, it ticks once more when that one has ended", async () => {
  const held = heldTick();
  const { part, clock } = ticker(held.tick);
  part.start();
  part.wake();
  part.wake();
  await clock.advance(0);
  expect(held.begun()).toBe(1);
  held.letGo();
  await clock.advance(0);
  expect(held.begun()).toBe(2);
  held.letGo();
  await clock.whenAsleep();
  expect(held.begun()).toBe(2);
});

test("two ticks never overlap, however late the first is", async () => {
  const held = heldTick();
  const { part, clock } = ticker(held.tick);
  part.start();
  await clock.advance(10_000);
  expect(held.begun()).toBe(1);
  held.letGo();
  await clock.whenAsleep();
  await clock.advance(1_000);
  expect(held.begun()).toBe(2);
  held.letGo();
});

test("a tick that fails is told of, and the next one comes all the same", async () => {
  let ticks = 0;
  const { part, clock, errors } = ticker(async () => {
    ticks += 1;
    if (ticks === 1) throw new Error("the first");
  });
  part.start();
  await clock.whenAsleep();
  expect(errors).toMatchObject([{ message: "the first" }]);
  await clock.advance(1_000);
  expect(ticks).toBe(2);
});

test("stop waits for the tick under way and lets no other begin", async () => {
  const held = heldTick();
  const { part, clock } = ticker(held.tick);
  part.start();
  let isStopped = false;
  const stopped = part.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(5_000);
  expect(isStopped).toBe(false);
  held.letGo();
  await stopped;
  await clock.advance(5_000);
  expect(held.begun()).toBe(1);
});

test("started twice it has one loop, stopped twice or unstarted it does nothing, and it may start again", async () => {
  let ticks = 0;
  const { part, clock } = ticker(async () => {
    ticks += 1;
  });
  await part.stop();
  part.start();
  part.start();
  await clock.whenAsleep();
  expect(ticks).toBe(1);
  await part.stop();
  await part.stop();
  part.start();
  await clock.whenAsleep();
  expect(ticks).toBe(2);
});
