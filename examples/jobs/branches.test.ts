import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an article is enriched by branches, finished early and forked", async () => {
  const { output, code } = await runExample("jobs/branches.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n")).toEqual([
    "ON BRANCHES… (in German), 2 words",
    "enrich words completed",
    "enrich loud completed",
    "enrich german completed",
    "enrich picture completed",
    "again null completed",
    "nothing to do",
    "ON BRANCHES… (in German), 2 words",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("verify")).toEqual([]);
}, 60_000);
