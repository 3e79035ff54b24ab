import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";

const db = testDatabase();

test.each([
  ["-5 ms", 1],
  ["0 ms", 1],
  ["0.4 ms", 1],
  ["0.999 ms", 1],
  ["1 ms", 2],
  ["1.999 ms", 2],
  ["2 ms", 3],
  ["3.999 ms", 3],
  ["4 ms", 4],
  ["1023 ms", 11],
  ["1024 ms", 12],
  ["1 minute", 17],
  ["268435455 ms", 29],
  ["268435456 ms", 30],
  ["100 years", 30],
  [null, 0],
])("a span of %s falls in bucket %i", async (span, bucket) => {
  expect(await db.value("time_bucket", { p_span: span })).toBe(bucket);
});

test("each bucket begins where the one before it ends", async () => {
  const rows = await db.query<{ power: number; below: number; at: number }>(`
    select k as power,
      lockstep.time_bucket(make_interval(secs => (power(2, k) - 0.001) / 1000)) as below,
      lockstep.time_bucket(make_interval(secs => power(2, k) / 1000)) as at
    from generate_series(0, 28) k`);
  for (const { power, below, at } of rows) {
    expect([power, below, at]).toEqual([power, power + 1, power + 2]);
  }
});
