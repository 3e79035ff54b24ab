import { expect, test } from "vitest";
import { newJobId } from "./new-job-id.ts";

const now = new Date("2026-05-01T08:00:00.123Z");

test("an id is a UUID of version 7 that begins with its time", () => {
  const id = newJobId(now);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)).toBe(now.getTime());
});

test("ids of a later time come later in order", () => {
  expect(newJobId(now) < newJobId(new Date(now.getTime() + 1))).toBe(true);
});

test("ten thousand ids of one moment all differ, and an id once given does not change", () => {
  const first = newJobId(now);
  const copy = `${first}`;
  const ids = new Set(Array.from({ length: 10_000 }, () => newJobId(now)));
  expect(ids.size).toBe(10_000);
  expect(ids.has(first)).toBe(false);
  expect(first).toBe(copy);
});
