import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an order and its job are there together, or not at all", async () => {
  const { output, errors, code } = await runExample("database/drizzle-outbox.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    "refused, and so was its job",
    "a mail, under a key of 36",
    "{ confirmed: 1 }",
    "[ { number: 1, status: 'confirmed' } ]",
    "",
  ]);
  expect(code).toBe(0);
  expect(await db.call("list_jobs", { p_filter: { pipeline: "confirmation" } })).toHaveLength(1);
}, 60_000);
