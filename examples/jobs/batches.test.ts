import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("two books are printed page by page as a batch, and the report follows them", async () => {
  const { output, code } = await runExample("jobs/batches.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n")).toEqual([
    "two books: completed, completed",
    "finished: 2 of 2",
    "page 1 | page 2 | page 3",
    "page 1",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("verify")).toEqual([]);
}, 60_000);
