import { expect, test } from "vitest";
import { readSpan } from "./read-span.ts";

test.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["1.5h", 5_400_000],
  ["2d12h", 216_000_000],
  ["1w", 604_800_000],
  ["0s", 0],
  ["", null],
  ["12", null],
  ["h", null],
  ["-5m", null],
  ["5 m", null],
  ["5y", null],
])("%s", (text, ms) => {
  expect(readSpan(text)).toBe(ms);
});
