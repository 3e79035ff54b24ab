import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a job is added and worked on by calls of SQL functions alone", async () => {
  const { output, errors, code } = await runExample("database/sql-only.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  expect(output).toBe("applied\ncompleted { sentTo: 'ada@example.org' }\n");
  expect(code).toBe(0);
}, 60_000);
