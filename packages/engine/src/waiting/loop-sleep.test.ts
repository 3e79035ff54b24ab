import { ManualClock } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { LoopSleep } from "./loop-sleep.ts";

function aSleep() {
  const clock = new ManualClock();
  const sleep = new LoopSleep(clock);
  let isOver = false;
  const fallAsleep = (ms: number) => {
    isOver = false;
    void sleep.sleep(ms).then(() => {
      isOver = true;
    });
  };
  return { clock, sleep, fallAsleep, isOver: () => isOver };
}

test("a sleep ends when its time is up", async () => {
  const { clock, fallAsleep, isOver } = aSleep();
  fallAsleep(100);
  await clock.advance(99);
  expect(isOver()).toBe(false);
  await clock.advance(1);
  expect(isOver()).toBe(true);
});

test("a sleep ends at once when it is woken", async () => {
  const { clock, sleep, fallAsleep, isOver } = aSleep();
  sleep.beginRound();
  fallAsleep(100);
  sleep.wake();
  await clock.advance(0);
  expect(isOver()).toBe(true);
});

test("a wake-up during a round is remembered until the next round begins", () => {
  const { sleep } = aSleep();
  sleep.wake();
  sleep.wake();
  expect(sleep.isWoken).toBe(true);
  sleep.beginRound();
  expect(sleep.isWoken).toBe(false);
});

test("the timer of a sleep that was woken ends with the next sleep, or with the loop", async () => {
  const manual = new ManualClock();
  let timers = 0;
  const sleep = new LoopSleep({
    sleep: async (ms, signal) => {
      timers += 1;
      await manual.sleep(ms, signal);
      timers -= 1;
    },
  });
  for (let round = 0; round < 2; round += 1) {
    sleep.beginRound();
    const asleep = sleep.sleep(100);
    sleep.wake();
    await asleep;
  }
  await manual.advance(0);
  expect(timers).toBe(1);
  sleep.end();
  await manual.advance(0);
  expect(timers).toBe(0);
});
