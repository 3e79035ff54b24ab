// In real time: it measures.
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import type { Measurement } from "../bench/measurement.ts";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
beforeEach(() => db.reset());

test("it measures adding, working and waiting beside the bare server, and leaves nothing behind", async () => {
  const { code, json, stderr } = await runCli(["bench", "--length", "1s", "--json"], { databaseUrl: db.url });
  expect(code).toBe(0);
  const { data } = json<{ data: Measurement[] }>();
  expect(data.map(({ name, unit }) => [name, unit])).toEqual([
    ["round trip of an empty statement", "ms"],
    ["commit of a tiny record", "ms"],
    ["add, 500 at a time", "jobs/s"],
    ["drain, 1 worker, 100 processors", "jobs/s"],
    ["add to completed, one job at a time", "ms"],
  ]);
  for (const { least, median, p95, most, samples } of data) {
    expect([least, median, p95, most]).toEqual([least, median, p95, most].sort((one, other) => one - other));
    expect(samples).toBeGreaterThan(0);
    expect(least).toBeGreaterThan(0);
  }
  expect(stderr).toContain("adding");
  expect(await db.query("select name from lockstep.pipelines")).toEqual([]);
  expect(await db.call("list_jobs")).toEqual([]);
  expect(await db.call("active_workers")).toEqual([]);
});

test("a database with other jobs is left alone unless somebody says yes", async () => {
  const jobs = new JobFactory(db);
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPendingJob();
  const refused = await runCli(["bench", "--length", "1s"], { databaseUrl: db.url });
  expect(refused.stderr).toContain("This database has jobs of other pipelines (1).");
  expect(refused.code).not.toBe(0);
  const { code, stdout } = await runCli(["bench", "--length", "500ms", "--yes"], { databaseUrl: db.url });
  expect(code).toBe(0);
  expect(stdout).toContain("round trip of an empty statement");
  expect(await db.call("list_jobs")).toHaveLength(1);
});
