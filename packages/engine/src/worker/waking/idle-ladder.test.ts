import { expect, test } from "vitest";
import { type Hearing, IdleLadder } from "./idle-ladder.ts";

function steps(ladder: IdleLadder, count: number, hearing: Hearing): (number | "announce")[] {
  return Array.from({ length: count }, () => ladder.next(hearing, 0.5));
}

test("an idle worker looks once more, says that it sleeps, looks again, and then polls", () => {
  const ladder = new IdleLadder(2_000);
  expect(steps(ladder, 2, "awake")).toEqual([2, "announce"]);
  ladder.announced();
  expect(steps(ladder, 5, "announced")).toEqual([10, 50, 250, 2_000, 2_000]);
});

test("a worker whose word was not heard says it again before it sleeps long", () => {
  const ladder = new IdleLadder(2_000);
  steps(ladder, 5, "awake");
  expect(steps(ladder, 2, "awake")).toEqual(["announce", "announce"]);
});

test("a worker to which jobs come too fast for wake-ups looks close together before it says so again", () => {
  const ladder = new IdleLadder(2_000);
  ladder.announced();
  ladder.hurry();
  expect(steps(ladder, 3, "awake")).toEqual([2, 4, 8]);
  ladder.found();
  expect(steps(ladder, 5, "awake")).toEqual([2, 4, 8, 16, "announce"]);
  ladder.announced();
  ladder.found();
  expect(steps(ladder, 2, "awake")).toEqual([2, "announce"]);
});

test("a worker that is told of each job does not look for more when it has found one", () => {
  const ladder = new IdleLadder(2_000);
  ladder.announced();
  steps(ladder, 3, "announced");
  ladder.found();
  expect(steps(ladder, 2, "announced")).toEqual([2_000, 2_000]);
});

test("a worker that no wake-up can reach looks close together and then polls", () => {
  const ladder = new IdleLadder(2_000);
  expect(steps(ladder, 8, "deaf")).toEqual([2, 4, 8, 16, 10, 50, 250, 2_000]);
  ladder.found();
  expect(steps(ladder, 1, "deaf")).toEqual([2]);
});

test("polls are spread by a quarter to either side, so that workers do not come in step", () => {
  const ladder = new IdleLadder(2_000);
  steps(ladder, 3, "announced");
  expect([ladder.next("announced", 0), ladder.next("announced", 1)]).toEqual([1_500, 2_500]);
});

test("a worker among many polls its share only, unless no wake-up can reach it", () => {
  const ladder = new IdleLadder(2_000);
  steps(ladder, 3, "announced");
  ladder.sleepers = 5;
  expect(steps(ladder, 1, "announced")).toEqual([10_000]);
  ladder.sleepers = 100;
  expect(steps(ladder, 1, "announced")).toEqual([120_000]);
  expect(steps(ladder, 8, "deaf").at(-1)).toBe(2_000);
  ladder.sleepers = 0;
  expect(steps(ladder, 1, "announced")).toEqual([2_000]);
});

test("an interval longer than that is kept", () => {
  const ladder = new IdleLadder(60_000);
  steps(ladder, 3, "announced");
  ladder.sleepers = 5;
  expect(steps(ladder, 1, "announced")).toEqual([60_000]);
});
