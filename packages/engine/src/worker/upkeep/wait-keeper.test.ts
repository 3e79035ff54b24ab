import { ManualClock } from "@lockstep/testing";
import { expect, onTestFinished, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import type { EndedWaits } from "../../store/working/upkeep-store.ts";
import { WaitKeeper } from "./wait-keeper.ts";

/** A keeper that has made its first look, with the answers it gets next. */
async function aKeeper(first: EndedWaits) {
  const clock = new ManualClock();
  const answers = [first];
  const looks: number[] = [];
  const startedMs = clock.monotonicMs();
  let ended = 0;
  const keeper = new WaitKeeper({
    store: {
      endDueWaits: async () => {
        looks.push(clock.monotonicMs() - startedMs);
        return answers.shift() ?? { ended: 0, nextDueMs: null, jobIds: [] };
      },
    },
    clock,
    events: new EngineEvents(),
    random: () => 0.5,
    onEnded: () => {
      ended += 1;
    },
  });
  keeper.start();
  onTestFinished(() => keeper.stop());
  await clock.whenAsleep();
  return { keeper, clock, answers, looks, ended: () => ended };
}

test("the next look comes when the next wait is due, and tells of what has ended", async () => {
  const { clock, answers, looks, ended } = await aKeeper({ ended: 0, nextDueMs: 700, jobIds: [] });
  answers.push({ ended: 3, nextDueMs: null, jobIds: [] });
  await clock.advance(700);
  await clock.whenAsleep();
  expect(looks).toEqual([0, 700]);
  expect(ended()).toBe(1);
  await clock.advance(4_999);
  expect(looks).toEqual([0, 700]);
  await clock.advance(1);
  expect(looks).toEqual([0, 700, 5_700]);
});

test("a wait that this worker has begun, and that ends before the next look, is asked for at once", async () => {
  const { keeper, clock, looks } = await aKeeper({ ended: 0, nextDueMs: null, jobIds: [] });
  keeper.waitBegan(60_000);
  await clock.advance(100);
  expect(looks).toEqual([0]);
  keeper.waitBegan(300);
  await expect.poll(() => looks).toEqual([0, 100]);
});

test("a due wait that others have locked is not asked for without a pause", async () => {
  const { clock, answers, looks } = await aKeeper({ ended: 0, nextDueMs: 0, jobIds: [] });
  answers.push({ ended: 0, nextDueMs: 0, jobIds: [] });
  await clock.advance(49);
  expect(looks).toEqual([0]);
  await clock.advance(1);
  expect(looks).toEqual([0, 50]);
});
