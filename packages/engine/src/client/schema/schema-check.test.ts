import { codeSchemaVersion, SchemaTooNewError } from "@lockstep/database";
import { testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError, SchemaMissingError } from "../../store/connections/database-error.ts";
import { SchemaStore } from "../../store/reading/schema-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { checkSchema } from "./schema-check.ts";

const db = testDatabase();

function aStore(url = db.url): SchemaStore {
  const options = { connections: 2, transactionPooler: false, applicationName: "lockstep schema test" };
  const database = new Database({ target: targetAt(url), ...options });
  onTestFinished(() => database.close(systemClock));
  return new SchemaStore(database);
}

test("the schema this code brings is the one it takes", async () => {
  expect(await checkSchema(aStore())).toBe(codeSchemaVersion);
});

const found = (version: number, oldestCode: number) => ({
  name: "lockstep",
  versions: async () => ({ version, oldestCode }),
});
const code = { version: 12, oldestUsable: 11 };

test("a newer one is taken that does not break this code", async () => {
  expect(await checkSchema(found(14, 12), code)).toBe(14);
});

test("a newer one that breaks this code is refused with a sentence", async () => {
  const refused = checkSchema(found(14, 13), code);
  await expect(refused).rejects.toThrow(SchemaTooNewError);
  await expect(refused).rejects.toThrow(
    "version 14, which code before version 13 cannot use, and this code is of version 12",
  );
});

test("an older one is taken as far as this code goes back, and refused beyond with what to run", async () => {
  expect(await checkSchema(found(11, 0), code)).toBe(11);
  await expect(checkSchema(found(10, 0), code)).rejects.toThrow(SchemaMissingError);
  await expect(checkSchema(found(10, 0), code)).rejects.toThrow(/version 10, but this code needs 12: run/);
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
