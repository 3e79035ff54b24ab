import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("docs/effects.md shows this example as it is", () => {
  expect(read("../../docs/effects.md")).toContain(`\n\`\`\`ts\n${read("effects.ts")}\`\`\`\n`);
});

test("an order is charged once in three attempts", async () => {
  const { output, code } = await runExample("jobs/effects.ts", { env: { DATABASE_URL: db.url } });
  expect(output.split("\n")).toEqual([
    "attempt 1",
    "the provider charges 1250 cents",
    "attempt 2",
    "the provider has seen this key",
    "attempt 3",
    "{ receipt: 'R-1' }",
    "{ key: 'charge', state: 'done', starts: 2 }",
    "",
  ]);
  expect(code).toBe(0);
}, 60_000);
