import { testDatabase } from "@lockstep/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";

const db = testDatabase();

async function delayMs(
  kind: string,
  failures: number,
  options: Record<string, number> = {},
): Promise<number> {
  const [row] = await db.query<{ ms: number }>(
    `select date_part('epoch', lockstep.retry_delay($1, $2, $3, $4, $5)) * 1000 as ms`,
    [kind, options.baseMs ?? 120_000, options.capMs ?? 3_600_000, options.jitter ?? 0, failures],
  );
  return row?.ms ?? Number.NaN;
}

test.each([
  ["exponential", 1, 120_000],
  ["exponential", 2, 240_000],
  ["exponential", 3, 480_000],
  ["exponential", 5, 1_920_000],
  ["exponential", 6, 3_600_000],
  ["linear", 1, 120_000],
  ["linear", 2, 240_000],
  ["linear", 3, 360_000],
  ["linear", 31, 3_600_000],
  ["constant", 1, 120_000],
  ["constant", 9, 120_000],
])("a %s delay after failure %i is %i ms", async (kind, failures, expected) => {
  expect(await delayMs(kind, failures)).toBeCloseTo(expected, 3);
});

test.each(["exponential", "linear", "constant"])(
  "a %s delay stays within its cap for 0 to a million failures",
  async (kind) => {
    for (const failures of [0, 1, 30, 31, 32, 63, 64, 1_024, 2_000, 32_767, 1_000_000]) {
      const ms = await delayMs(kind, failures);
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThanOrEqual(3_600_000);
    }
  },
);

test("a policy of absurd numbers still gives a delay that an instant can hold", async () => {
  const huge = 9_000_000_000_000_000_000;
  expect(await delayMs("exponential", 100, { baseMs: huge, capMs: huge })).toBeLessThanOrEqual(
    5 * 365 * 86_400_000,
  );
});

test("jitter takes up to its share off a delay and never adds to it", async () => {
  const rows = await db.query<{ ms: number }>(
    `select date_part('epoch', lockstep.retry_delay('constant', 1000, 5000, 0.5, 1)) * 1000 as ms
     from generate_series(1, 2000)`,
  );
  const delays = rows.map(({ ms }) => ms);
  expect(Math.max(...delays)).toBeLessThanOrEqual(1_000);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(400);
});

test("10,000 delays of any policy and any number of failures lie within their bounds", async () => {
  const longestMs = 157_680_000_000;
  const policies = fc.sample(
    fc.record({
      kind: fc.constantFrom("exponential", "linear", "constant"),
      baseMs: fc.nat({ max: longestMs }),
      capMs: fc.nat({ max: longestMs }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
      failures: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 1_000_000 })),
    }),
    10_000,
  );
  const wrong = await db.query(
    `select p.*, d.ms
     from jsonb_to_recordset($1) as p (kind text, "baseMs" bigint, "capMs" bigint, jitter float8, failures integer)
     cross join lateral (
       select date_part('epoch', lockstep.retry_delay(p.kind, p."baseMs", p."capMs", p.jitter, p.failures)) * 1000 as ms
     ) d
     where d.ms is null or d.ms < least(p."baseMs", p."capMs") * (1 - p.jitter) - 1 or d.ms > p."capMs" + 1`,
    [JSON.stringify(policies)],
  );
  expect(wrong).toEqual([]);
});
