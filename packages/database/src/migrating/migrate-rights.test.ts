import { randomBytes } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeSchemaVersion } from "../schema/schema-version.ts";
import { createRoles } from "./create-roles.ts";
import { MigrationForbiddenError, migrate } from "./migrate.ts";
import { migrationScript, planMigration } from "./migration-plan.ts";

const db = testDatabase();
// Not named like ours, which count for what migrate applies.
const application = `application_${randomBytes(4).toString("hex")}`;
const stranger = `stranger_${randomBytes(4).toString("hex")}`;
const owner = `owner_${randomBytes(4).toString("hex")}`;

beforeAll(async () => {
  for (const user of [application, stranger, owner]) {
    await db.query(`create role ${user} login password 'secret'`);
  }
  await db.query(`grant lockstep_producer to ${application}`);
});

afterAll(async () => {
  for (const user of [application, stranger, owner]) {
    await db.query(`drop owned by ${user}`);
    await db.query(`drop role ${user}`);
  }
});

function as(user: string, url = db.url): string {
  const its = new URL(url);
  its.username = user;
  its.password = "secret";
  return its.href;
}

async function withClient(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("a user with the role of a producer", () => {
  test("finds nothing to do where the schema is that of its code", async () => {
    const version = codeSchemaVersion;
    expect(await migrate({ databaseUrl: as(application) })).toEqual({
      migrations: [],
      functions: false,
      version,
      missingRoles: [],
      adminSql: [],
    });
    expect(await planMigration({ databaseUrl: as(application) })).toEqual({
      version,
      codeVersion: version,
      migrations: [],
      breaking: [],
      functions: false,
    });
  });

  test("is told who has to migrate where there is something to do", async () => {
    await db.query("update lockstep.applied_functions set digest = 'of another release'");
    const version = codeSchemaVersion;
    const refused = migrate({ databaseUrl: as(application) });
    await expect(refused).rejects.toBeInstanceOf(MigrationForbiddenError);
    await expect(refused).rejects.toThrow(
      `The schema has version ${version}, this code has version ${version}, and user ${application} may not migrate it (permission denied for schema lockstep). Run \`lockstep migrate\` as the owner of the schema. Nothing was changed.`,
    );
    await migrate({ databaseUrl: db.url });
  });
});

test("a user without any right is told so, and not that there is no schema", async () => {
  await expect(migrate({ databaseUrl: as(stranger) })).rejects.toThrow(
    `The schema has another version, this code has version ${codeSchemaVersion}, and user ${stranger} may not migrate it`,
  );
});

describe("in a database in which it may not create schemas, a user without CREATEROLE", () => {
  const url = new URL(db.url);
  url.pathname += "_owned";
  const name = url.pathname.slice(1);
  const admin = new pg.Client({ connectionString: url.href });
  // Roles belong to the server: those of this name come and go with this file.
  const schema = `kept_${randomBytes(4).toString("hex")}`;
  const roles = ["viewer", "producer", "operator", "worker"].map((role) => `${schema}_${role}`);

  beforeAll(async () => {
    await db.query(`create database ${name} template template1`);
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await db.query(`drop database ${name} with (force)`);
    for (const role of roles) await db.query(`drop role if exists ${role}`);
  });

  test("migrates a schema that was made for it", async () => {
    await admin.query(`create schema lockstep authorization ${owner}`);
    expect(await migrate({ databaseUrl: as(owner, url.href) })).toMatchObject({
      functions: true,
      adminSql: [],
    });
    await admin.query("drop schema lockstep cascade");
  });

  test("migrates a schema of somebody else in which it may create, and says what that one has to grant", async () => {
    await admin.query("create schema lockstep");
    await admin.query(`grant usage, create on schema lockstep to ${owner}`);
    const migrated = await migrate({ databaseUrl: as(owner, url.href) });
    expect(migrated).toMatchObject({ functions: true, missingRoles: [] });
    expect(migrated.adminSql).toEqual([
      "grant usage on schema lockstep to lockstep_viewer, lockstep_producer, lockstep_operator, lockstep_worker;",
    ]);
    const asProducer = () => withClient(as(application, url.href), "select lockstep.schema_version()");
    await expect(asProducer()).rejects.toThrow("permission denied for schema lockstep");
    for (const statement of migrated.adminSql) await admin.query(statement);
    expect(await asProducer()).toHaveLength(1);
    expect(await migrate({ databaseUrl: as(owner, url.href) })).toMatchObject({
      functions: false,
      adminSql: [],
    });
  });

  test("gets the SQL for the roles, and grants them what they may do once they are there", async () => {
    await admin.query(`create schema ${schema}`);
    await admin.query(`grant usage, create on schema ${schema} to ${owner}`);
    const databaseUrl = as(owner, url.href);
    const migrated = await migrate({ databaseUrl, schema });
    expect(migrated.missingRoles).toEqual(roles);
    expect(migrated.adminSql).toEqual([
      ...roles.map((role) => `create role ${role} nologin;`),
      `grant usage on schema "${schema}" to ${roles.join(", ")};`,
    ]);
    await admin.query(migrated.adminSql.join("\n"));
    expect(await migrate({ databaseUrl, schema })).toMatchObject({
      functions: true,
      missingRoles: [],
      adminSql: [],
    });
    await admin.query(`grant ${schema}_viewer to ${stranger}`);
    const asViewer = as(stranger, url.href);
    expect(await withClient(asViewer, `select * from ${schema}.queue_stats()`)).toEqual([]);
    await expect(withClient(asViewer, `select ${schema}.add_job('orders')`)).rejects.toThrow(
      "permission denied for function add_job",
    );
  });

  test("is told that it may not, where nobody has made the schema", async () => {
    await expect(migrate({ databaseUrl: as(owner, url.href), schema: "elsewhere" })).rejects.toThrow(
      `There is no schema yet, this code has version ${codeSchemaVersion}, and user ${owner} may not migrate it (permission denied for database ${name}).`,
    );
  });

  test("runs what --sql prints in a schema that was made for it", async () => {
    await admin.query(`drop schema lockstep cascade; create schema lockstep authorization ${owner}`);
    const databaseUrl = as(owner, url.href);
    await withClient(databaseUrl, await migrationScript());
    expect(await migrate({ databaseUrl })).toMatchObject({ migrations: [], functions: false, adminSql: [] });
  });
});

test("a user who may not create roles is told so by name", async () => {
  await expect(createRoles({ databaseUrl: as(stranger) })).rejects.toThrow(
    `User ${stranger} may not create roles. Run this as a superuser or as a user with CREATEROLE.`,
  );
});
