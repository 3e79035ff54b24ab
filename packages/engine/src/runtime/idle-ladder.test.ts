import { expect, test } from "vitest";
import { IdleLadder } from "./idle-ladder.ts";

function steps(ladder: IdleLadder, count: number, isAnnounced: boolean): (number | "announce")[] {
  return Array.from({ length: count }, () => ladder.next(isAnnounced, 0.5));
}

test("an idle worker looks close together, says that it sleeps, looks again, and then polls", () => {
  const ladder = new IdleLadder(2_000, true);
  expect(steps(ladder, 5, false)).toEqual([2, 4, 8, 16, "announce"]);
  expect(steps(ladder, 5, true)).toEqual([10, 50, 250, 2_000, 2_000]);
});

test("a worker whose word was not heard says it again before it sleeps long", () => {
  const ladder = new IdleLadder(2_000, true);
  steps(ladder, 5, false);
  expect(steps(ladder, 2, false)).toEqual(["announce", "announce"]);
});

test("a found job begins it from the top, and the word stands", () => {
  const ladder = new IdleLadder(2_000, true);
  steps(ladder, 4, false);
  ladder.reset();
  expect(steps(ladder, 8, true)).toEqual([2, 4, 8, 16, 10, 50, 250, 2_000]);
});

test("polls are spread by a quarter to either side, so that workers do not come in step", () => {
  const ladder = new IdleLadder(2_000, true);
  steps(ladder, 8, true);
  expect([ladder.next(true, 0), ladder.next(true, 1)]).toEqual([1_500, 2_500]);
});

test("a worker that is not woken polls at its interval and says nothing", () => {
  expect(steps(new IdleLadder(60_000, false), 8, false)).toEqual(new Array(8).fill(60_000));
});
