import { randomBytes } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRoles } from "./create-roles.ts";
import { MigrationForbiddenError, migrate } from "./migrate.ts";
import { planMigration } from "./migration-plan.ts";
import { codeSchemaVersion } from "./schema-version.ts";

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

describe("a user with the role of a producer", () => {
  test("finds nothing to do where the schema is that of its code", async () => {
    const version = codeSchemaVersion;
    expect(await migrate({ databaseUrl: as(application) })).toEqual({
      migrations: [],
      functions: false,
      version,
      missingRoles: [],
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

test("a user who may not create schemas migrates one that was made for it", async () => {
  const name = `${new URL(db.url).pathname.slice(1)}_owned`;
  const url = new URL(db.url);
  url.pathname = `/${name}`;
  await db.query(`create database ${name} template template1`);
  try {
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create schema lockstep authorization ${owner}`);
    await admin.end();
    expect(await migrate({ databaseUrl: as(owner, url.href) })).toMatchObject({ functions: true });
  } finally {
    await db.query(`drop database ${name} with (force)`);
  }
});

test("a user who may not create roles is told so by name", async () => {
  await expect(createRoles({ databaseUrl: as(stranger) })).rejects.toThrow(
    `User ${stranger} may not create roles. Run this as a superuser or as a user with CREATEROLE.`,
  );
});
