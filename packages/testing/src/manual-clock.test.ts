import { expect, test } from "vitest";
import { ManualClock } from "./manual-clock.ts";

test("time stands still until it is moved", async () => {
  const clock = new ManualClock(new Date("2026-03-01T00:00:00Z"));
  expect([clock.now().toISOString(), clock.monotonicMs()]).toEqual(["2026-03-01T00:00:00.000Z", 0]);
  await clock.advance(1_500);
  expect([clock.now().toISOString(), clock.monotonicMs()]).toEqual(["2026-03-01T00:00:01.500Z", 1_500]);
});

test("sleepers wake in the order they are due, each at its own instant", async () => {
  const clock = new ManualClock();
  const woken: string[] = [];
  const sleepThenNote = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(`${name} at ${clock.monotonicMs()}`);
  };
  const all = [
    sleepThenNote("late", 300),
    sleepThenNote("early", 100),
    sleepThenNote("twin", 300),
    sleepThenNote("never", 301),
  ];
  await clock.advance(300);
  expect(woken).toEqual(["early at 100", "late at 300", "twin at 300"]);
  await clock.advance(1);
  await Promise.all(all);
});

test("a loop that sleeps again is woken as often as it is due", async () => {
  const clock = new ManualClock();
  let ticks = 0;
  const stop = new AbortController();
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(10, stop.signal);
      ticks += 1;
    }
  })();
  await clock.advance(55);
  expect(ticks).toBe(5);
  stop.abort();
  await loop;
});

test("an aborted sleep ends at once and is not woken again", async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const sleeping = clock.sleep(1_000, stop.signal);
  stop.abort();
  await sleeping;
  await clock.sleep(1_000, stop.signal);
  expect(clock.monotonicMs()).toBe(0);
});

test("a test can wait until somebody sleeps", async () => {
  const clock = new ManualClock();
  let asleep = false;
  const waiting = clock.whenAsleep(2).then(() => {
    asleep = true;
  });
  const first = clock.sleep(1);
  await clock.advance(0);
  expect(asleep).toBe(false);
  const second = clock.sleep(1);
  await waiting;
  await clock.advance(1);
  await Promise.all([first, second]);
});
