import { expect, test } from "vitest";
import { addedAtOf, removedFrom } from "./removed-job.ts";

const retention = { keepCompletedDays: 7, keepFailedDays: 30 };
const addedAt = new Date("2026-01-31T12:00:00.000Z");

test("an id of version 7 tells when its job was added, others do not", () => {
  const ms = addedAt.getTime().toString(16).padStart(12, "0");
  expect(addedAtOf(`${ms.slice(0, 8)}-${ms.slice(8)}-7cc3-98c4-dc0c0c07398f`)).toEqual(addedAt);
  expect(addedAtOf("7d7c7a4e-0000-4000-8000-000000000001")).toBeNull();
  expect(addedAtOf("nonsense")).toBeNull();
});

test("a job can have been removed when its day and the days it is kept are over", () => {
  const overAt = new Date("2026-02-08T00:00:00.000Z");
  expect(removedFrom(addedAt, retention, overAt)).toEqual(overAt);
  expect(removedFrom(addedAt, retention, new Date(overAt.getTime() - 1))).toBeNull();
});
