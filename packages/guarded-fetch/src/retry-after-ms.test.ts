import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after-ms.ts";

const nowMs = Date.parse("2026-11-16T12:00:00Z");

test.each([
  ["120", 120_000],
  ["0", 0],
  ["1.5", 1_500],
  ["Mon, 16 Nov 2026 12:00:30 GMT", 30_000],
  ["Mon, 16 Nov 2026 11:00:00 GMT", 0],
  ["9999999", 86_400_000],
  ["", null],
  ["soon", null],
  [undefined, null],
])("Retry-After %j asks for %j ms", (header, expected) => {
  expect(retryAfterMs(header, nowMs)).toBe(expected);
});
