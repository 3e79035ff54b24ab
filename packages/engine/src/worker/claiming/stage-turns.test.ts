import { expect, test } from "vitest";
import { StageTurns } from "./stage-turns.ts";

test("whoever was left out comes first the next time", () => {
  const turns = new StageTurns([1, 2, 3]);
  expect(turns.order).toEqual([1, 2, 3]);
  turns.passed(1, true);
  expect(turns.order).toEqual([2, 3, 1]);
  turns.passed(2, false);
  turns.passed(3, true);
  expect(turns.order).toEqual([1, 2, 3]);
});

test("a round ends when every stage had its turn, with those that were asked", () => {
  const turns = new StageTurns([1, 2, 3]);
  turns.passed(1, true);
  turns.passed(2, false);
  expect(turns.endRound()).toBeNull();
  turns.passed(3, true);
  expect(turns.endRound()).toEqual([1, 3]);
  expect(turns.endRound()).toBeNull();
});

test("a round that begins anew goes on with whose turn it is", () => {
  const turns = new StageTurns([1, 2, 3]);
  turns.passed(1, true);
  turns.passed(2, true);
  turns.beginRound();
  expect(turns.order).toEqual([3, 1, 2]);
  turns.passed(3, true);
  expect(turns.endRound()).toBeNull();
  turns.passed(1, true);
  turns.passed(2, true);
  expect(turns.endRound()).toEqual([3, 1, 2]);
});
