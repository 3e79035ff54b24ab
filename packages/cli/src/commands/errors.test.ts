import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

// More failures than are looked at, and one of another pipeline after them.
beforeAll(async () => {
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["write"]);
  const [by, at] = [await jobs.aWorker({ at: new Date() }), new Date()];
  await jobs.aFailedJob({ by, at });
  await db.query(
    `insert into lockstep.finished_jobs
     select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid()))).*
     from lockstep.finished_jobs f cross join generate_series(1, 10000)`,
  );
  await jobs.aFailedJob({ by, pipeline: "letters", stage: "letters/write", at: new Date() });
});

test("errors has those of most jobs first when it is told to, and says where there are more than it tells", async () => {
  const run = (...argv: string[]) => runCli(["errors", ...argv], { databaseUrl: db.url });
  const rowsOf = (stdout: string) => [...stdout.matchAll(/^(\d+\+?)\t(\S+)/gm)].map(([row]) => row);
  const [latest, most] = [await run(), await run("--sort", "-jobs")];
  expect(rowsOf(latest.stdout)).toEqual(["1\tletters/write", "9999+\torders/read"]);
  expect(rowsOf(most.stdout)).toEqual(["9999+\torders/read", "1\tletters/write"]);
  expect(latest.stderr).toContain(
    "A number with a plus counts only the newest failures: there are at least that many.",
  );
  expect((await run("--pipeline", "letters")).stderr).toBe("");
});
