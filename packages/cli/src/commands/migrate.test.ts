import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

const db = testDatabase();
const bare = { databaseUrl: "" };

beforeAll(async () => {
  const [name] = new URL(db.url).pathname.split("/").slice(1);
  await db.query(`create database ${name}_bare template template1`);
  const url = new URL(db.url);
  url.pathname = `/${name}_bare`;
  bare.databaseUrl = url.href;
});

afterAll(() => db.query(`drop database ${new URL(bare.databaseUrl).pathname.slice(1)} with (force)`));

test("migrate makes the schema once; --check tells a deploy before and after", async () => {
  expect((await runCli(["migrate", "--check"], bare)).code).toBe(7);
  const plan = await runCli(["migrate", "--plan"], bare);
  expect(plan).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("would run 0001_pipelines_and_stages\n"),
  });
  expect((await runCli(["health"], bare)).code).toBe(7);

  const migrated = await runCli(["migrate", "--json"], bare);
  expect(migrated.code).toBe(0);
  expect(migrated.json()).toMatchObject({ functions: true, version: expect.any(Number) });
  expect((await runCli(["migrate"], bare)).stdout).toMatch(
    /^Schema version \d+: there was nothing to do\.\n$/,
  );
  expect((await runCli(["migrate", "--check"], bare)).code).toBe(0);
});

test("--sql needs no database", async () => {
  const { code, stdout } = await runCli(["migrate", "--sql"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^begin;\n/);
  expect(stdout).toContain("create or replace function lockstep.add_jobs(");
  expect(stdout).toMatch(/\ncommit;\n\nselect lockstep\.create_partitions\(\);\n$/);
});

const later = (isBreaking: boolean) =>
  db.query(
    "insert into lockstep.migrations (version, name, digest, is_breaking) values ($1, 'later', '', $2)",
    [isBreaking ? 9999 : 9998, isBreaking],
  );

test("a schema from a later release is left alone if it can be used, and refused if not", async () => {
  const at = { databaseUrl: db.url };
  await later(false);
  for (const flag of ["--check", "--plan"]) {
    expect(await runCli(["migrate", flag], at)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^The schema has version 9998\. This command has version \d+, can use it/,
      ),
    });
  }
  expect(await runCli(["migrate"], at)).toMatchObject({
    code: 0,
    stdout: "Schema version 9998: there was nothing to do.\n",
  });
  expect((await runCli(["health"], at)).code).toBe(0);
  await later(true);
  const refused = { code: 1, stderr: expect.stringContaining("code  schema.too_new") };
  expect(await runCli(["migrate", "--check"], at)).toMatchObject(refused);
  expect(await runCli(["migrate"], at)).toMatchObject(refused);
});
