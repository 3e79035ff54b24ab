import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("ada's third question waits for her budget, and bob's does not", { timeout: 120_000 }, async () => {
  const { output, code } = await runExample("jobs/budgets.ts", { env: { DATABASE_URL: db.url } });
  const lines = output.trim().split("\n");
  expect(lines.slice(0, 2).toSorted()).toEqual(["ada: about rain", "ada: about snow"]);
  expect(lines.slice(2)).toEqual([
    "bob: about wind",
    "ada has spent 2400 of 3000",
    "tokens",
    "ada: about hail",
  ]);
  expect(code).toBe(0);
});
