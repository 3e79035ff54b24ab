import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { codeSchemaVersion } from "../schema/schema-version.ts";
import { createRoles } from "./create-roles.ts";
import { migrate } from "./migrate.ts";
import { migrationScript, planMigration } from "./migration-plan.ts";

const admin = new pg.Client({ connectionString: inject("serverUrl") });
const name = `lockstep_plan_${randomBytes(4).toString("hex")}`;
const url = new URL(inject("serverUrl"));
url.pathname = `/${name}`;
const databaseUrl = url.href;

beforeAll(async () => {
  await admin.connect();
  // Roles belong to the server and count for what is applied: they must not come while these tests run.
  await createRoles({ databaseUrl: inject("serverUrl") });
  await admin.query(`create database ${name} template template1`);
});

afterAll(async () => {
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

test("a plan tells what a migrate would do and does nothing; the script does it", async () => {
  const codeVersion = codeSchemaVersion;
  const empty = await planMigration({ databaseUrl });
  expect(empty).toMatchObject({ version: 0, codeVersion, functions: true });
  expect(empty.migrations).toHaveLength(codeVersion);
  expect(await planMigration({ databaseUrl })).toEqual(empty);

  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query(await migrationScript());
  const done = { version: codeVersion, codeVersion, migrations: [], breaking: [], functions: false };
  expect(await planMigration({ databaseUrl })).toEqual(done);
  expect(await migrate({ databaseUrl })).toMatchObject({
    migrations: [],
    functions: false,
    version: codeVersion,
  });

  await db.query("update lockstep.applied_functions set digest = 'of another release'");
  expect(await planMigration({ databaseUrl })).toEqual({ ...done, functions: true });
  await db.query(await migrationScript({ fromVersion: codeVersion }));
  expect(await planMigration({ databaseUrl })).toEqual(done);
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const { rows } = await db.query("select to_regclass($1) is not null as made", [`lockstep.events_${day}`]);
  expect(rows).toEqual([{ made: true }]);
  await db.end();
});
