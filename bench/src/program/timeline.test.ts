import { expect, test } from "vitest";
import { rateBetween, rateFromMarkToMark } from "./timeline.ts";

test("a rate between two counts is read from straight lines between the marks", () => {
  const marks = [
    { count: 0, atMs: 0 },
    { count: 100, atMs: 1_000 },
    { count: 300, atMs: 2_000 },
  ];
  expect(rateBetween(marks, 0, 100)).toBe(100);
  expect(rateBetween(marks, 100, 300)).toBe(200);
  expect(rateBetween(marks, 50, 200)).toBe(150);
});

test("a count that was never reached has no rate", () => {
  expect(() => rateBetween([{ count: 10, atMs: 0 }], 0, 20)).toThrow("Only 10 of 20 jobs were handled.");
});

test("a rate from mark to mark counts batches as a whole", () => {
  const marks = [
    { count: 0, atMs: 0 },
    { count: 5_000, atMs: 700 },
    { count: 10_000, atMs: 1_700 },
    { count: 15_000, atMs: 2_700 },
  ];
  expect(rateFromMarkToMark(marks, 1_000, 11_000)).toBe(5_000);
});

test("a rate from mark to mark begins at the beginning when one batch holds all", () => {
  const marks = [
    { count: 0, atMs: 0 },
    { count: 5_000, atMs: 500 },
  ];
  expect(rateFromMarkToMark(marks, 300, 3_000)).toBe(10_000);
});
