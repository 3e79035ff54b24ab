import { expect, test } from "vitest";
import { greeting } from "./greeting.ts";

test.each([
  ["2026-03-02T00:00:00Z", "UTC", "Good morning"],
  ["2026-03-02T11:59:00Z", "UTC", "Good morning"],
  ["2026-03-02T12:00:00Z", "UTC", "Good afternoon"],
  ["2026-03-02T17:59:00Z", "UTC", "Good afternoon"],
  ["2026-03-02T18:00:00Z", "UTC", "Good evening"],
  ["2026-03-02T12:00:00Z", "America/New_York", "Good morning"],
  ["2026-03-02T12:45:00Z", "Asia/Kolkata", "Good evening"],
])("at %s in %s one says %s", (instant, timeZone, words) => {
  expect(greeting(new Date(instant), timeZone)).toBe(words);
});
