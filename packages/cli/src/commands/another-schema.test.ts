// The commands on an installation in another schema, beside the usual one.

import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childProgram, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
// Roles belong to the server: those of this name come and go with this file.
const schema = `cli_${randomBytes(4).toString("hex")}`;
const there = { databaseUrl: db.url, env: { LOCKSTEP_SCHEMA: schema } };
const here = { databaseUrl: db.url };
const payload = JSON.stringify({ title: "t", text: "some words", stepMs: 0 });

beforeAll(async () => {
  expect((await runCli(["migrate", "--schema", schema], here)).code).toBe(0);
});

afterAll(async () => {
  await db.query(`drop schema ${schema} cascade`);
  for (const role of ["viewer", "producer", "operator", "worker"])
    await db.query(`drop role ${schema}_${role}`);
});

test("add, work, list and look after jobs there, by flag or by variable", async () => {
  // Makes the demo pipeline known.
  expect((await runCli(["work", "--demo", "--once"], there)).code).toBe(0);
  expect((await runCli(["jobs", "add", "demo", payload], there)).code).toBe(0);
  expect((await runCli(["work", "--demo", "--once"], there)).code).toBe(0);
  const list = await runCli(["jobs", "list", "--json", "--schema", schema], here);
  expect(list.json()).toMatchObject({ data: [{ pipeline: "demo", status: "completed" }] });
  expect((await runCli(["jobs", "list", "--json"], here)).json()).toMatchObject({ data: [] });
  expect((await runCli(["verify"], there)).code).toBe(0);
  expect((await runCli(["health"], there)).code).toBe(0);
  const findings = (await runCli(["doctor", "--json"], there)).json<{
    data: { check: string; severity: string }[];
  }>();
  expect(findings.data).toContainEqual(expect.objectContaining({ check: "missing indexes", severity: "ok" }));
});

test("measure there, and leave nothing behind", async () => {
  const bench = await runCli(["bench", "--length", "400ms", "--yes", "--json"], there);
  expect(bench.code).toBe(0);
  for (const name of [schema, "lockstep"]) {
    expect(await db.query(`select from ${name}.pipelines where name = 'lockstep-bench'`)).toEqual([]);
  }
});

test("print the SQL for that schema, without a database", async () => {
  const { code, stdout } = await runCli(["migrate", "--sql", "--schema", "jobs"]);
  expect(code).toBe(0);
  expect(stdout).toContain('create or replace function "jobs".add_jobs(');
  expect(stdout).not.toContain("lockstep");
});

test("refuse a name that cannot be used, and one whose schema is somebody else's", async () => {
  const bad = await runCli(["migrate", "--sql", "--schema", "My Jobs"]);
  expect(bad.code).toBe(2);
  expect(bad.stderr).toContain('The name of the schema, "My Jobs", must be a name of 1 to 23 small letters');
  await db.query("create schema taken; create table taken.users (id integer)");
  const taken = await runCli(["migrate", "--schema", "taken"], here);
  expect(taken.code).toBe(1);
  expect(taken.stderr).toContain("has tables or functions in it that are not Lockstep's");
});

test("say which schema is to be migrated where there is none", async () => {
  const { code, stderr } = await runCli(["verify", "--schema", "nobody"], here);
  expect(code).toBe(1);
  expect(stderr).toContain("Run `lockstep migrate --schema nobody`.");
});

test("`lockstep dev` works there, and other commands in its folder find it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lockstep-dev-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const start = new URL("../start.ts", import.meta.url).href;
  const dev = childProgram(
    `process.chdir(${JSON.stringify(folder)});
     process.argv.splice(1, Infinity, "lockstep", "dev", "--jsonl", "--port", "0");
     await import(${JSON.stringify(start)});`,
    { env: { DATABASE_URL: db.url, LOCKSTEP_SCHEMA: schema } },
  );
  for (let line = ""; !line.includes('"ready"'); ) line = await dev.nextLine();
  const workers = await runCli(["workers", "--json"], { cwd: folder });
  expect(workers.json()).toMatchObject({ data: [{ name: "dev", isAlive: true }] });
  expect(await db.query(`select from ${schema}.workers where name = 'dev' and lost_at is null`)).toHaveLength(
    1,
  );
  expect(await db.query("select from lockstep.workers where name = 'dev'")).toEqual([]);
  dev.kill("SIGTERM");
  expect(await dev.ended).toMatchObject({ code: 0 });
}, 120_000);
