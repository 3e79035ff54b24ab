import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a job runs over each way to PostgreSQL", async () => {
  const { output, errors, code } = await runExample("database/connections.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  expect(output.trim().split("\n")).toEqual([
    "Hello by a URL!",
    "Hello by a password function!",
    "Hello by several hosts!",
    "Hello by a pool!",
  ]);
  expect(code).toBe(0);
}, 120_000);
