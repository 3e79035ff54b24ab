import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";
import { runCli } from "../../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const run = (...argv: string[]) => runCli(["jobs", ...argv], { databaseUrl: db.url });

// No index serves a tag, and the jobs with it lie further back than one look goes.
beforeAll(async () => {
  await jobs.aPipeline("orders", ["read"]);
  const add = `select lockstep.add_jobs(jsonb_agg(jsonb_build_object('pipeline', 'orders', 'payload', n, 'tags', $2::jsonb)))
    from generate_series(1, $1::int) n`;
  await db.query(add, [60, '["x"]']);
  await db.query(add, [20_500, "[]"]);
}, 60_000);

test("a list that has only stopped looking does not say that nothing matches, and tells how to go on", async () => {
  const { stdout, stderr } = await run("list", "--filter", "tag:x");
  expect(stdout + stderr).toContain("No job found so far.");
  expect(stdout + stderr).not.toContain("No job matches");
  const cursor = /--cursor (\S+)/.exec(stderr)?.[1] ?? "";
  const rest = await run("list", "--filter", "tag:x", "--cursor", cursor, "--json", "--limit", "100");
  expect(rest.json<{ data: unknown[] }>().data).toHaveLength(60);
});

test("--dry-run counts to 10,000, and says that there are more", async () => {
  const counted = await run("cancel", "--filter", "since:1h", "--dry-run");
  expect(counted.stdout).toBe("It would affect more than 10,000 jobs.\n");
});

test("--dry-run counts on to the end, and a cancel takes all of them", async () => {
  const counted = await run("cancel", "--filter", "tag:x", "--dry-run");
  expect(counted.stdout).toBe("It would affect 60 jobs.\n");
  expect(counted.stderr).toContain("searched back to");
  const cancelled = await run("cancel", "--filter", "tag:x", "--yes");
  expect(cancelled).toMatchObject({ code: 0, stdout: "60 cancelled\n" });
  expect((await run("cancel", "--filter", "tag:x", "--dry-run")).stdout).toBe("It would affect 0 jobs.\n");
});
