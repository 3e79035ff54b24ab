import { expect, test } from "vitest";
import { migratedLines } from "./migrated-lines.ts";

const nothing = { migrations: [], functions: false, version: 21, missingRoles: [] };

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

test("roles that are missing are named, with who makes them", () => {
  expect(migratedLines({ ...nothing, missingRoles: ["lockstep_viewer", "lockstep_worker"] })[1]).toBe(
    "This server has no role lockstep_viewer, lockstep_worker, and this user may not create roles: a superuser has to run migrate once. Until then only the owner of the schema may use the queue.",
  );
});
