import fc from "fast-check";
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

test("any sum of whole units is read as what it is, and no other text is a span", () => {
  const unitMs = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
  const part = fc.tuple(
    fc.nat({ max: 1_000 }),
    fc.constantFrom(...(Object.keys(unitMs) as (keyof typeof unitMs)[])),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.map(([amount, unit]) => `${amount}${unit}`).join("");
      expect(readSpan(text)).toBe(parts.reduce((sum, [amount, unit]) => sum + amount * unitMs[unit], 0));
    }),
    { numRuns: 10_000 },
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const span = readSpan(text);
      expect(span === null || span >= 0).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});
