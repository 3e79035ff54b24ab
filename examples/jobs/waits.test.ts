import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an order is approved by its id, another one refused by its key, and both sleep before the review", async () => {
  const { output, errors, code } = await runExample("jobs/waits.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n"), errors).toEqual([
    "told",
    "already_signalled",
    "shipped for 36, approved by ada; how was it?",
    "true",
    "grace said no; how was it?",
    "approval: signalled",
    "cool-down: slept",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("verify")).toEqual([]);
}, 60_000);
