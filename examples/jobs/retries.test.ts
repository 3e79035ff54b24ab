import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("one order is given up, the other fails twice and goes on where it ended", async () => {
  const { output, code } = await runExample("jobs/retries.ts", { env: { DATABASE_URL: db.url } });
  expect(output.replaceAll(/[0-9a-f-]{36}/g, "ID").split("\n")).toEqual([
    "Job ID failed: there is no address",
    "Job ID failed: the label printer is broken",
    "failed: 2",
    "check 1 done",
    "ship 1 the carrier said 429",
    "ship 2 the label printer is broken",
    "{ shipped: 2 }",
    "",
  ]);
  expect(code).toBe(0);
}, 60_000);
