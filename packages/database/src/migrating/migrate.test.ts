import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { packagedSql } from "../schema/packaged-sql.ts";
import { codeSchemaVersion, SchemaTooNewError } from "../schema/schema-version.ts";
import { createRoles } from "./create-roles.ts";
import { bookkeepingSql, migrate } from "./migrate.ts";
import { MigrateError } from "./migrate-error.ts";
import { migrationScript, planMigration } from "./migration-plan.ts";
import { OtherMigrationsError } from "./other-migrations.ts";

const admin = new pg.Client({ connectionString: inject("serverUrl") });
const names: string[] = [];
let migratedName: string;
let databaseUrl: string;
let db: pg.Client;

beforeAll(async () => {
  await admin.connect();
  // Roles belong to the server and count for what is applied: they must not come while these tests run.
  await createRoles({ databaseUrl: inject("serverUrl") });
  migratedName = await createDatabase();
  await migrate({ databaseUrl: urlOf(migratedName) });
});

afterEach(() => db?.end());

afterAll(async () => {
  for (const name of names) await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

async function createDatabase(template = "template1"): Promise<string> {
  const name = `lockstep_migrate_${randomBytes(4).toString("hex")}`;
  await admin.query(`create database ${name} template ${template}`);
  names.push(name);
  return name;
}

function urlOf(name: string): string {
  const url = new URL(inject("serverUrl"));
  url.pathname = `/${name}`;
  return url.href;
}

async function given(state: "empty" | "migrated" | "migrated by another release"): Promise<void> {
  databaseUrl = urlOf(await createDatabase(state === "empty" ? undefined : migratedName));
  db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  if (state === "migrated by another release") {
    await db.query("update lockstep.applied_functions set digest = 'of another release'");
  }
}

const functionNames = async () => {
  const { rows } = await db.query<{ name: string }>(
    "select proname as name from pg_proc where pronamespace = 'lockstep'::regnamespace order by 1",
  );
  return rows.map(({ name }) => name);
};

const tableNames = async () => {
  const { rows } = await db.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'lockstep'::regnamespace and relkind = 'r' order by 1",
  );
  return rows.map(({ name }) => name);
};

describe("migrate", () => {
  test("makes the schema on an empty database", async () => {
    await given("empty");
    const version = codeSchemaVersion;
    const migrations = (await packagedSql()).migrations.map(({ name }) => name);
    expect(await migrate({ databaseUrl })).toEqual({
      migrations,
      functions: true,
      version,
      missingRoles: [],
      adminSql: [],
    });
    expect((await db.query("select lockstep.schema_version() as version")).rows).toEqual([{ version }]);
    expect(await functionNames()).toEqual((await packagedSql()).functions.map(({ name }) => name).sort());
  });

  test("makes the tables for the finished jobs of today", async () => {
    await given("empty");
    await migrate({ databaseUrl });
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    const { rows } = await db.query("select to_regclass($1) is not null as made", [
      `lockstep.completed_jobs_${day}`,
    ]);
    expect(rows).toEqual([{ made: true }]);
  });

  test("finds nothing to do the second time, and changes nothing", async () => {
    await given("migrated");
    const bodies =
      "select oid, xmin::text from pg_proc where pronamespace = 'lockstep'::regnamespace order by 1";
    const before = (await db.query(bodies)).rows;
    expect(await migrate({ databaseUrl })).toEqual({
      migrations: [],
      functions: false,
      version: codeSchemaVersion,
      missingRoles: [],
      adminSql: [],
    });
    expect((await db.query(bodies)).rows).toEqual(before);
  });

  test("run by two processes at once is done by one; the other finds nothing to do", async () => {
    await given("empty");
    const [one, other] = await Promise.all([migrate({ databaseUrl }), migrate({ databaseUrl })]);
    expect([one.functions, other.functions].sort()).toEqual([false, true]);
    expect([one.migrations.length, other.migrations.length].sort()).toEqual([
      0,
      (await packagedSql()).migrations.length,
    ]);
  });

  test("keeps jobs and grants over a second run that applies the functions again", async () => {
    await given("migrated by another release");
    await db.query(`select lockstep.define_pipeline('orders', '[{"name": "read"}]')`);
    await db.query("select lockstep.add_job('orders')");
    expect(await migrate({ databaseUrl })).toMatchObject({ migrations: [], functions: true });
    expect((await db.query("select 1 from lockstep.jobs")).rowCount).toBe(1);
    const { rows } = await db.query(
      "select has_function_privilege('lockstep_viewer', 'lockstep.queue_stats()', 'execute') as may",
    );
    expect(rows).toEqual([{ may: true }]);
  });

  test("takes away a grant that the code no longer gives", async () => {
    await given("migrated by another release");
    await db.query("grant execute on function lockstep.get_job to lockstep_viewer");
    await migrate({ databaseUrl });
    const { rows } = await db.query(
      "select has_function_privilege('lockstep_viewer', 'lockstep.get_job(uuid, boolean)', 'execute') as may",
    );
    expect(rows).toEqual([{ may: false }]);
  });

  test("brings back a function that was changed by hand, once something differs", async () => {
    await given("migrated by another release");
    const bodyOf = "select prosrc as body from pg_proc where oid = 'lockstep.queue_stats()'::regprocedure";
    const { rows } = await db.query(bodyOf);
    await db.query(
      "do $do$ begin execute replace(pg_get_functiondef('lockstep.queue_stats()'::regprocedure), 'select', 'select '); end $do$",
    );
    expect((await db.query(bodyOf)).rows).not.toEqual(rows);
    await migrate({ databaseUrl });
    expect((await db.query(bodyOf)).rows).toEqual(rows);
  });

  test("drops a function that has left the code", async () => {
    await given("migrated by another release");
    await db.query("create function lockstep.complete_entry(p_id uuid) returns void language sql as ''");
    await migrate({ databaseUrl });
    expect(await functionNames()).not.toContain("complete_entry");
  });

  test("replaces a function whose arguments or result have changed, and keeps no second one beside it", async () => {
    await given("migrated by another release");
    await db.query("drop function lockstep.get_job; drop function lockstep.cancel_job");
    await db.query(
      "create function lockstep.get_job(p_id uuid) returns text language sql as 'select null::text'",
    );
    await db.query(
      "create function lockstep.cancel_job(p_id uuid) returns text language sql as 'select null::text'",
    );
    await migrate({ databaseUrl });
    const { rows } = await db.query(
      `select proname, pronargs, proretset from pg_proc
       where pronamespace = 'lockstep'::regnamespace and proname in ('get_job', 'cancel_job') order by 1`,
    );
    expect(rows).toEqual([
      { proname: "cancel_job", pronargs: 3, proretset: false },
      { proname: "get_job", pronargs: 2, proretset: true },
    ]);
  });

  const addMigration = (version: number, name: string, isBreaking: boolean) =>
    db.query("insert into lockstep.migrations (version, name, digest, is_breaking) values ($1, $2, '', $3)", [
      version,
      name,
      isBreaking,
    ]);
  const appliedDigest = async () => (await db.query("select digest from lockstep.applied_functions")).rows;

  test("leaves a newer schema alone that this code can use, and does not put back older functions", async () => {
    await given("migrated");
    await addMigration(9000, "9000_of_the_future", false);
    await db.query("update lockstep.applied_functions set digest = 'of the future'");
    const nothing = { migrations: [], functions: false, version: 9000 };
    expect(await migrate({ databaseUrl })).toMatchObject(nothing);
    expect(await planMigration({ databaseUrl })).toMatchObject({
      ...nothing,
      codeVersion: codeSchemaVersion,
    });
    expect(await appliedDigest()).toEqual([{ digest: "of the future" }]);
  });

  test("refuses a newer schema that breaks this code, and changes nothing", async () => {
    await given("migrated");
    await addMigration(9000, "9000_of_the_future", true);
    await addMigration(9001, "9001_after_it", false);
    await db.query("update lockstep.applied_functions set digest = 'of the future'");
    const refused = migrate({ databaseUrl });
    await expect(refused).rejects.toBeInstanceOf(SchemaTooNewError);
    await expect(refused).rejects.toThrow(
      `has Lockstep schema version 9001, which code before version 9000 cannot use, and this code is of version ${codeSchemaVersion}. Update`,
    );
    expect(await appliedDigest()).toEqual([{ digest: "of the future" }]);
  });

  test("refuses a schema from before the first release with a sentence that says what to do, and changes nothing", async () => {
    await given("migrated");
    await db.query("update lockstep.migrations set name = '0002_create_jobs' where version = 2");
    await addMigration(38, "0038_name_rows_and_wake_ups", false);
    for (const ask of [migrate, planMigration]) {
      const refused = ask({ databaseUrl });
      await expect(refused).rejects.toBeInstanceOf(OtherMigrationsError);
      await expect(refused).rejects.toThrow(
        /migration 2 is "0002_create_jobs", but here it is "0002_live_jobs".*`drop schema lockstep cascade`, and migrate/,
      );
    }
    expect((await db.query("select max(version) as version from lockstep.migrations")).rows).toEqual([
      { version: 38 },
    ]);
  });

  test("refuses a schema whose migrations have another text here", async () => {
    await given("migrated");
    await db.query("update lockstep.migrations set digest = 'of another text' where version = 2");
    await expect(migrate({ databaseUrl })).rejects.toThrow(
      /its migration "0002_live_jobs" has another text than here/,
    );
    await db.query("alter table lockstep.migrations drop column digest");
    await expect(migrate({ databaseUrl })).rejects.toThrow(OtherMigrationsError);
  });

  test("that fails leaves the database as it was", async () => {
    await given("empty");
    await db.query(bookkeepingSql);
    await db.query("create table lockstep.workers (in_the_way text)");
    await expect(migrate({ databaseUrl })).rejects.toThrow(/already exists/);
    expect(await tableNames()).toEqual(["applied_functions", "migrations", "workers"]);
  });

  test.each([
    ["a table", "create table lockstep.migrations (id integer)", ["migrations"]],
    ["a function", "create function lockstep.mine() returns integer language sql as 'select 1'", []],
  ])("refuses a schema with %s of somebody else in it, and leaves that alone", async (_, create, tables) => {
    await given("empty");
    await db.query("create schema lockstep");
    await db.query(create);
    const refused = migrate({ databaseUrl });
    await expect(refused).rejects.toBeInstanceOf(MigrateError);
    await expect(refused).rejects.toThrow(
      /^The schema lockstep has tables or functions in it that are not Lockstep's, which needs a schema of its own: .* Nothing was changed\.$/,
    );
    await expect(db.query(await migrationScript())).rejects.toThrow(/which needs a schema of its own/);
    await db.query("rollback");
    expect(await tableNames()).toEqual(tables);
    expect(await functionNames()).toEqual(tables.length === 0 ? ["mine"] : []);
  });

  test("says that a server cannot be reached", async () => {
    await expect(migrate({ databaseUrl: "postgres://postgres@127.0.0.1:1/nothing" })).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });
});
