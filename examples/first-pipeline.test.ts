import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

const db = testDatabase();

test("the first pipeline runs to its end and prints its result", async () => {
  const { output, code } = await runExample("first-pipeline.ts", { env: { DATABASE_URL: db.url } });
  expect(output).toBe("Hello, Ada!\n");
  expect(code).toBe(0);
  expect(await db.call("list_jobs", { p_filter: { pipeline: "greeting" } })).toMatchObject([
    { status: "completed" },
  ]);
}, 60_000);
