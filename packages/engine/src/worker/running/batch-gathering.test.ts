import { expect, test } from "vitest";
import { BatchGathering } from "./batch-gathering.ts";

const batching = { size: 3, waitMs: 50 };

test("a call is ready at once when as many wait as it takes", () => {
  const gathering = new BatchGathering(batching);
  expect(gathering.ready(2, 0)).toBe(0);
  expect(gathering.ready(3, 1)).toBe(3);
  expect(gathering.ready(7, 2)).toBe(3);
});

test("fewer go when the first of them has waited long enough", () => {
  const gathering = new BatchGathering(batching);
  expect(gathering.dueMs).toBe(Number.POSITIVE_INFINITY);
  expect(gathering.ready(1, 100)).toBe(0);
  expect(gathering.ready(2, 149)).toBe(0);
  expect(gathering.dueMs).toBe(150);
  expect(gathering.ready(2, 150)).toBe(2);
});

test("what is left when a call has gone waits from its own arrival on", () => {
  const gathering = new BatchGathering(batching);
  gathering.ready(2, 0);
  expect(gathering.ready(5, 40)).toBe(3);
  gathering.took(3);
  expect(gathering.dueMs).toBe(90);
  expect(gathering.ready(2, 89)).toBe(0);
  expect(gathering.ready(2, 90)).toBe(2);
});

test("what was given back is not waited for, and what comes later waits anew", () => {
  const gathering = new BatchGathering(batching);
  gathering.ready(2, 0);
  expect(gathering.ready(0, 10)).toBe(0);
  expect(gathering.dueMs).toBe(Number.POSITIVE_INFINITY);
  gathering.ready(1, 20);
  expect(gathering.dueMs).toBe(70);
});

test("without a wait everything goes at once", () => {
  expect(new BatchGathering({ size: 3, waitMs: 0 }).ready(1, 5)).toBe(1);
});
