import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { asInterval } from "./as-interval.ts";

const db = testDatabase();

test.each([0, 1, 1_500, 2_147_483_648, 10 * 365 * 24 * 3_600_000])(
  "%i ms are as many to every PostgreSQL",
  async (ms) => {
    const [row] = await db.query("select (extract(epoch from $1::interval) * 1000)::float8 as ms", [
      asInterval(ms),
    ]);
    expect(row).toEqual({ ms });
  },
);
