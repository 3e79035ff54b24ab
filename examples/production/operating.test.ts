import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a letter is added once, cancelled as it was seen, and retried with all that were cancelled", async () => {
  const { output, code } = await runExample("production/operating.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n")).toEqual([
    "the same letter: true",
    "the letter: cancelled, and then: changed",
    'cancelled: 1, exactly: true; here: {"to": "Grace"}, more: false',
    "retried: 1 of 1",
    "ada bulk.start: started",
    "ada jobs.cancel: cancelled",
    "ada jobs.add: added",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("verify")).toEqual([]);
}, 60_000);
