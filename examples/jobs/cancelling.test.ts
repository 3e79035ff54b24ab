import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a waiting job is cancelled at once, a running one when its handler has stopped", async () => {
  const { output, code } = await runExample("jobs/cancelling.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n")).toEqual([
    "waiting: cancelled",
    "running: cancel_requested",
    "JobCancelledError",
    "again: already_finished",
    "",
  ]);
  expect(code).toBe(0);
}, 60_000);
