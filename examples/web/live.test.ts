import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("a browser's client follows a job from the add to the result", async () => {
  const { output, errors, code } = await runExample("web/live.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(code).toBe(0);
  const lines = output.trim().split("\n");
  expect(lines.filter((line) => !line.startsWith("job.progress"))).toEqual([
    "job.added gather",
    "job.claimed gather",
    "job.advanced gather",
    "job.claimed write",
    "job.completed write",
    "{ pages: 4 }",
  ]);
}, 60_000);

test("the page on live events shows this example as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../docs/live.md")).toContain(`\`\`\`ts\n${read("live.ts")}\`\`\``);
});
