import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

const db = testDatabase();

test.each([
  ["pg-boss", "sent to ada@example.org\n"],
  ["graphile-worker", "sent to ada@example.org\n"],
  ["bullmq", "video completed\n{ converted: 'a.mov' }\n"],
  ["plain-tables", "3 moved and filed\n"],
])("what was made with %s works on Lockstep", { timeout: 60_000 }, async (name, said) => {
  await db.reset();
  const { output, errors, code } = await runExample(`moving-from/${name}.ts`, {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  expect(output).toBe(said);
  expect(code).toBe(0);
});
