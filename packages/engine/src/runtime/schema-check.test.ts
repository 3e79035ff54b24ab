import { codeSchemaVersion, SchemaTooNewError } from "@lockstep/database";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../clock.ts";
import { Database } from "../store/database.ts";
import { DatabaseUnavailableError, SchemaMissingError } from "../store/database-error.ts";
import { JobStore } from "../store/job-store.ts";
import { checkSchema } from "./schema-check.ts";

const db = testDatabase();

function aStore(url = db.url): JobStore {
  const options = { connections: 2, transactionPooler: false, applicationName: "lockstep schema test" };
  const database = new Database({ url, ...options, onDown: () => {}, onUp: () => {} });
  onTestFinished(() => database.close(systemClock));
  return new JobStore(database);
}

test("the schema this code brings is the one it takes", async () => {
  await expect(checkSchema(aStore())).resolves.toBeUndefined();
});

test("a newer one is refused with a sentence", async () => {
  const known = await codeSchemaVersion();
  const newer = { schemaVersion: async () => known + 1 };
  await expect(checkSchema(newer)).rejects.toThrow(SchemaTooNewError);
  await expect(checkSchema(newer)).rejects.toThrow(
    `version ${known + 1}, but this code knows only up to ${known}`,
  );
});

test("an older one is refused with what to run", async () => {
  const older = { schemaVersion: async () => 1 };
  await expect(checkSchema(older)).rejects.toThrow(SchemaMissingError);
  await expect(checkSchema(older)).rejects.toThrow(/version 1, but this code needs \d+: run/);
});

test("a database without any is refused with what to run", async () => {
  await db.query("drop schema lockstep cascade");
  await expect(checkSchema(aStore())).rejects.toThrow(/has no Lockstep schema yet: run/);
  await db.query("create schema lockstep");
  await expect(checkSchema(aStore())).rejects.toThrow(/has no Lockstep schema yet: run/);
});

test("a database that is away is not taken for one without a schema", async () => {
  const url = new URL(db.url);
  url.pathname = "/no_such_database";
  await expect(checkSchema(aStore(url.href))).rejects.toThrow(DatabaseUnavailableError);
});
