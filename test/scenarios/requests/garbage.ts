import type { SeededRandom } from "./seeded-random.ts";

// What a careless or hostile client might send where something else is expected.
export const strangeTexts = [
  "",
  " ",
  "\u0000",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e309",
  "99999999999999999999",
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "%00",
  "%ZZ",
  "' or 1=1 --",
  "'; drop schema lockstep cascade; --",
  '"><script>alert(1)</script>',
  "__proto__",
  "constructor",
  "\ud800",
  "\u202e",
  "😀".repeat(50),
  "a".repeat(3_000),
  "status:failed",
  "status:",
  ":failed",
  'pipeline:"unclosed',
  "since:99999999999d",
  "payload.a.b.c:1",
  "payload.:1",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "not-a-uuid",
];

const strangeValues: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e300,
  2 ** 60,
  [],
  {},
  [[[[]]]],
  { __proto__: null, constructor: { prototype: 1 } },
  ...strangeTexts,
];

/** Bodies that are no JSON, or no JSON that anybody means. */
export function strangeBody(random: SeededRandom): string {
  return random.pick([
    "",
    "{",
    "[",
    "nul",
    '{"a":1}}',
    '{"pipeline":"letters","payload":',
    "\u0000",
    "--boundary\r\ncontent-disposition: form-data",
    '{"__proto__":{"isAdmin":true}}',
    '{"pipeline":"letters","payload":"\\ud800"}',
    '{"pipeline":"letters","payload":"\\u0000"}',
    '{"pipeline":"letters","payload":1e999}',
    `{"pipeline":"letters","payload":${"[".repeat(500)}${"]".repeat(500)}}`,
    `{"pipeline":"letters","payload":"${"x".repeat(300_000)}"}`,
    `{"pipeline":"${"x".repeat(2_000)}","payload":1}`,
  ]);
}

/** The value with one place of it spoilt: something strange in it, something missing, or something more. */
export function spoilt(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.1)) return random.pick(strangeValues);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.2)) return random.pick(strangeValues);
    const place = random.below(value.length);
    return value.map((item, index) => (index === place ? spoilt(item, random) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.25)) {
    return {
      ...value,
      [random.pick(["extra", "prioritie", "__proto__", "id", ""])]: random.pick(strangeValues),
    };
  }
  const place = random.below(entries.length);
  if (random.chance(0.3)) return Object.fromEntries(entries.filter((_, index) => index !== place));
  return Object.fromEntries(
    entries.map(([key, inner], index) => [key, index === place ? spoilt(inner, random) : inner]),
  );
}
