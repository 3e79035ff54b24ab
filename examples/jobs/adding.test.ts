import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("what was added twice under a key runs once, and what was debounced runs as it was added last", {
  timeout: 120_000,
}, async () => {
  const { output, code } = await runExample("jobs/adding.ts", { env: { DATABASE_URL: db.url } });
  expect(output.trim().split("\n").sort()).toEqual([
    "delivered twice: created true, then false",
    "indexed home: Hello",
    "indexed news: Good news",
    "indexed ticker: 12:00",
  ]);
  expect(code).toBe(0);
});
