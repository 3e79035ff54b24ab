import { expect, test } from "vitest";
import { packagedSql } from "./packaged-sql.ts";
import { codeSchemaVersion, migrationVersion } from "./schema-version.ts";

test("the version of this code is the number of its newest migration", async () => {
  const { migrations } = await packagedSql();
  expect(codeSchemaVersion).toBe(Math.max(...migrations.map(({ name }) => migrationVersion(name))));
});
