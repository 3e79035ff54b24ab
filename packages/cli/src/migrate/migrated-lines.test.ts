import { expect, test } from "vitest";
import { migratedLines } from "./migrated-lines.ts";

const nothing = { migrations: [], functions: false, version: 21, missingRoles: [], adminSql: [] };

test("nothing to do is said only where nothing was done", () => {
  expect(migratedLines(nothing)).toEqual(["Schema version 21: there was nothing to do."]);
  expect(migratedLines({ ...nothing, migrations: ["0021_x"] })).toEqual([
    "ran 0021_x",
    "Schema version 21; functions and grants are as they were.",
  ]);
  expect(migratedLines({ ...nothing, migrations: ["0021_x"], functions: true })).toEqual([
    "ran 0021_x",
    "Schema version 21, functions and grants applied.",
  ]);
});

test("roles that are missing are named, with the SQL that makes them", () => {
  const adminSql = ["create role lockstep_viewer nologin;", "create role lockstep_worker nologin;"];
  const missingRoles = ["lockstep_viewer", "lockstep_worker"];
  expect(migratedLines({ ...nothing, missingRoles, adminSql }).slice(1)).toEqual([
    "This server has no role lockstep_viewer, lockstep_worker, and this user may not create roles. A superuser has to run this, and then migrate has to run once more. Until then only the user who migrates may use the queue.",
    ...adminSql,
  ]);
});

test("a schema that belongs to somebody else has to be opened by its owner, with this SQL", () => {
  const adminSql = ["grant usage on schema lockstep to lockstep_viewer;"];
  expect(migratedLines({ ...nothing, adminSql }).slice(1)).toEqual([
    "This user may not let the roles use the schema. Its owner has to run this. Until then only the user who migrates may use the queue.",
    ...adminSql,
  ]);
});
