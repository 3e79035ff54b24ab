import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a model's words are asked for once, whatever else goes wrong", async () => {
  const { output, errors, code } = await runExample("jobs/model-calls.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(code).toBe(0);
  expect(output.trim().split("\n")).toEqual([
    ...["A ", "queue ", "is ", "a ", "line."],
    "{ text: 'A queue is a line.', tokens: 25 }",
    'sort The model answered about "sort" with 429: too many requests',
    "sort done",
    "answer something else goes wrong",
    "answer done",
    "3 calls, 50 of 100000 tokens",
  ]);
}, 60_000);

test("the page on model calls shows this example as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../docs/ai.md")).toContain(`\`\`\`ts\n${read("model-calls.ts")}\`\`\``);
});
