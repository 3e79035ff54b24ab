import { expect, test } from "vitest";
import { rateBetween } from "./timeline.ts";

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
