import { testDatabase } from "@lockstep/test-support";
import { afterAll, expect, test } from "vitest";
import { runExample } from "../run-example.ts";

const db = testDatabase();

// Roles belong to the server, and would outlive this database.
afterAll(async () => {
  await db.query("drop schema if exists office_jobs cascade");
  for (const role of ["viewer", "producer", "operator", "worker"]) {
    await db.query(`drop role if exists office_jobs_${role}`);
  }
});

test("two installations in one database work side by side and know nothing of each other", async () => {
  const { output, code } = await runExample("database/two-installations.ts", {
    env: { DATABASE_URL: db.url },
  });
  expect(output).toBe("shop: Dear Ada\noffice: Dear Bob\nthe shop knows the office's job: false\n");
  expect(code).toBe(0);
  expect(await db.query("select pipeline from office_jobs.list_jobs()")).toEqual([{ pipeline: "letters" }]);
}, 60_000);
