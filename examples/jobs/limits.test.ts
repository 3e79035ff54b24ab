import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("the small customer's letter is printed among the first of the large one's", {
  timeout: 120_000,
}, async () => {
  const { output, code } = await runExample("jobs/limits.ts", { env: { DATABASE_URL: db.url } });
  const lines = output.trim().split("\n");
  expect(lines).toHaveLength(9);
  expect(lines.indexOf("small: printed the letter to Ada")).toBeLessThan(5);
  expect(code).toBe(0);
});
