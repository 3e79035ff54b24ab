import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { fuzzSql } from "./sql-fuzz.ts";

const db = testDatabase();
// Another number tells another story; a failure names its own. The long run tells more of them.
const seed = 20_261_116;

test("every function of the SQL API refuses what nobody can mean as bad input, and keeps the invariants", async () => {
  const { calls, answered, mistakes } = await fuzzSql(await db.connect(), { seed, callsEach: 40 });
  expect(mistakes).toEqual([]);
  // The mixture is one.
  expect(answered / calls).toBeGreaterThan(0.1);
  expect(answered / calls).toBeLessThan(0.9);
});
