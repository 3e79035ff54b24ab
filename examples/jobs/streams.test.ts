import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a reader sees a model's words as they come, and none twice after a retry", async () => {
  const { output, errors, code } = await runExample("jobs/streams.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(code).toBe(0);
  const lines = output.trim().split("\n");
  const told = ["A ", "A queue ", "A queue is ", "A queue is a ", "A queue is a line.", "A queue is a line."];
  expect(lines.slice(-6)).toEqual(told);
  // One that comes too late for the first attempt has nothing to forget.
  expect(lines.slice(0, -6).filter((line) => line.startsWith("rewind")).length).toBeLessThanOrEqual(1);
}, 60_000);

test("the page on streams shows this example as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../docs/streams.md")).toContain(`\`\`\`ts\n${read("streams.ts")}\`\`\``);
});
