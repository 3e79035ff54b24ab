import { testDatabase } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";

const db = testDatabase();

const percentile = (buckets: number[] | null, jobs: number[] | null, share: number) =>
  db.value<number | null>("bucket_percentile", { p_buckets: buckets, p_jobs: jobs, p_share: share });

describe("the span that a share of the attempts did not exceed", () => {
  test.each([
    { what: "spreads the attempts of one bucket evenly", buckets: [3], jobs: [100], share: 0.5, ms: 3 },
    { what: "begins at zero in the first bucket", buckets: [1], jobs: [10], share: 0.5, ms: 0.5 },
    { what: "lies in the bucket of the share", buckets: [2, 11], jobs: [90, 10], share: 0.95, ms: 768 },
    { what: "does not mind the order", buckets: [11, 2], jobs: [10, 90], share: 0.95, ms: 768 },
    { what: "adds up a bucket given twice", buckets: [2, 11, 2], jobs: [40, 20, 40], share: 0.8, ms: 2 },
    { what: "leaves out what was not measured", buckets: [0, -1, 3], jobs: [500, 500, 2], share: 1, ms: 4 },
  ])("$what", async ({ buckets, jobs, share, ms }) => {
    expect(await percentile(buckets, jobs, share)).toBe(ms);
  });

  test("is unknown when nothing was measured", async () => {
    expect(await percentile(null, null, 0.5)).toBeNull();
    expect(await percentile([0], [7], 0.5)).toBeNull();
  });

  test("is within its bucket's limits for any span, as time_bucket sorts them", async () => {
    for (const ms of [0.2, 1, 1.5, 2, 100, 1_000, 3_600_000]) {
      const bucket = await db.value<number>("time_bucket", { p_span: `${ms} milliseconds` });
      const told = await percentile([bucket], [1], 0.5);
      expect(told, `${ms} ms`).toBeGreaterThanOrEqual(ms / 2 - 0.05);
      expect(told, `${ms} ms`).toBeLessThanOrEqual(Math.max(1, ms * 2));
    }
  });
});
