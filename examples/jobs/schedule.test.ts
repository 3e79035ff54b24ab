import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

test("the schedules show when they run next, and the one of every second runs", async () => {
  const { output, errors, code } = await runExample("jobs/schedule.ts", { env: { DATABASE_URL: db.url } });
  expect(errors).toBe("");
  expect(output).toMatch(/^pulse runs next at \S+Z\nsales-report runs next at \S+T0[45]:00:00.000Z\n/);
  const times = [...output.matchAll(/^The pulse report of (\d\d:\d\d:\d\d)$/gm)].map(([, time]) => time);
  expect(new Set(times).size).toBe(3);
  expect(code).toBe(0);
  expect(await db.call("list_schedules")).toMatchObject([{ name: "sales-report", problem: null }]);
}, 60_000);
