import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("the example of observability tells of one job in every way there is", async () => {
  const { output, errors, code } = await runExample("production/observability.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(errors).toBe("");
  expect(output.split("\n")).toEqual([
    "No live worker serves greeting/compose; start one that has this pipeline.",
    'span "add greeting", 0 links',
    'span "greeting/compose", 1 links',
    "completed in the last hour: 1",
    'lockstep_stage_moves_total{pipeline="greeting",stage="compose",move="completed"} 1',
    "",
  ]);
  expect(code).toBe(0);
}, 60_000);
