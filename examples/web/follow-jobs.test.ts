import { readFileSync } from "node:fs";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("an owner follows her job from the add to the result, and sees nobody else's", async () => {
  const { output, errors, code } = await runExample("web/follow-jobs.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(code).toBe(0);
  const lines = output.trim().split("\n");
  expect(lines.filter((line) => !line.includes("job.progress"))).toEqual([
    "ada job.added gather {}",
    'ada job.claimed gather {"attempt":1}',
    'ada job.advanced gather {"attempt":1,"nextStage":"write"}',
    'ada job.claimed write {"attempt":1}',
    'ada job.completed write {"result":{"pages":4},"attempt":1}',
  ]);
}, 60_000);

test("the page on the realtime log shows this example as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  expect(read("../../docs/realtime.md")).toContain(`\`\`\`ts\n${read("follow-jobs.ts")}\`\`\``);
});
