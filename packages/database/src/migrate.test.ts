import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { createRoles } from "./create-roles.ts";
import { bookkeepingSql, migrate } from "./migrate.ts";
import { codeSchemaVersion, migrationVersion, SchemaTooNewError } from "./schema-version.ts";
import { readSqlFiles } from "./sql-files.ts";

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

async function migratedUpTo(version: number): Promise<void> {
  await given("empty");
  await db.query(bookkeepingSql);
  for (const { name, text } of await readSqlFiles("migrations")) {
    if (migrationVersion(name) > version) return;
    await db.query(text);
    await db.query("insert into lockstep.migrations (version, name) values ($1, $2)", [
      migrationVersion(name),
      name,
    ]);
  }
}

describe("migrate", () => {
  test("lists the jobs of an older schema as what they are", async () => {
    await migratedUpTo(14);
    await db.query(`
      insert into lockstep.pipelines (name) values ('orders');
      insert into lockstep.stages (pipeline_id, name, ordinal) select id, 'read', 1 from lockstep.pipelines;
      insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, position, ready_at, scheduled_for, claimed_at, claim_token,
        worker_id, status, payload)
      select gen_random_uuid(), now(), s.pipeline_id, s.id, 1, now(), t.at, t.claimed_at, t.token, t.token, t.status, '{}'
      from lockstep.stages s
      cross join (values
        ('pending'::lockstep.job_status, null::timestamptz, null::timestamptz, null::uuid),
        ('processing', null, now(), gen_random_uuid()),
        ('scheduled', now() + interval '1 day', null, null)
      ) as t (status, at, claimed_at, token)`);
    await migrate({ databaseUrl });
    const { rows } = await db.query(
      "select listed_as, held_by = worker_id as is_held from lockstep.jobs where listed_as = status order by 1",
    );
    expect(rows).toEqual([
      { listed_as: "scheduled", is_held: null },
      { listed_as: "pending", is_held: null },
      { listed_as: "processing", is_held: true },
    ]);
    await db.query("select from lockstep.sweep_lost_workers()");
    expect(
      (await db.query("select count(*)::integer as jobs from lockstep.jobs where status = 'pending'")).rows,
    ).toEqual([{ jobs: 2 }]);
  });

  test("makes the schema on an empty database", async () => {
    await given("empty");
    const version = await codeSchemaVersion();
    const migrations = (await readSqlFiles("migrations")).map(({ name }) => name);
    expect(await migrate({ databaseUrl })).toEqual({ migrations, functions: true, version });
    expect((await db.query("select lockstep.schema_version() as version")).rows).toEqual([{ version }]);
    expect(await functionNames()).toEqual((await readSqlFiles("functions")).map(({ name }) => name).sort());
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
      version: await codeSchemaVersion(),
    });
    expect((await db.query(bodies)).rows).toEqual(before);
  });

  test("run by two processes at once is done by one; the other finds nothing to do", async () => {
    await given("empty");
    const [one, other] = await Promise.all([migrate({ databaseUrl }), migrate({ databaseUrl })]);
    expect([one.functions, other.functions].sort()).toEqual([false, true]);
    expect([one.migrations.length, other.migrations.length].sort()).toEqual([
      0,
      (await readSqlFiles("migrations")).length,
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
    await db.query(
      "create or replace function lockstep.schema_version() returns integer language sql as 'select 99'",
    );
    await migrate({ databaseUrl });
    expect((await db.query("select lockstep.schema_version() as version")).rows).toEqual([
      { version: await codeSchemaVersion() },
    ]);
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

  test("refuses a schema that is newer than the code with a sentence, and changes nothing", async () => {
    await given("migrated");
    await db.query("insert into lockstep.migrations (version, name) values (9000, '9000_of_the_future')");
    await db.query("update lockstep.applied_functions set digest = 'of the future'");
    const refused = migrate({ databaseUrl });
    await expect(refused).rejects.toBeInstanceOf(SchemaTooNewError);
    await expect(refused).rejects.toThrow(
      /has Lockstep schema version 9000, but this code knows only up to \d+\. Update the lockstep packages/,
    );
    expect((await db.query("select digest from lockstep.applied_functions")).rows).toEqual([
      { digest: "of the future" },
    ]);
  });

  test("that fails leaves the database as it was", async () => {
    await given("empty");
    await db.query("create schema lockstep");
    await db.query("create table lockstep.workers (in_the_way text)");
    await expect(migrate({ databaseUrl })).rejects.toThrow(/already exists/);
    const { rows } = await db.query(
      "select relname from pg_class where relnamespace = 'lockstep'::regnamespace",
    );
    expect(rows).toEqual([{ relname: "workers" }]);
  });

  test("says that a server cannot be reached", async () => {
    await expect(migrate({ databaseUrl: "postgres://postgres@127.0.0.1:1/nothing" })).rejects.toThrow(
      /ECONNREFUSED/,
    );
  });
});
