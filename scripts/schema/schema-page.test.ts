import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { repository } from "../run-command.ts";
import { readMigrations } from "./read-migrations.ts";
import { schemaPage } from "./schema-page.ts";

const db = testDatabase();

test("docs/schema.md is the schema that migrate makes; `npm run schema` writes it anew", async () => {
  const path = join(repository, "docs/schema.md");
  const written = existsSync(path) ? readFileSync(path, "utf8") : "";
  expect(written, "run `npm run schema`").toBe(await schemaPage(db.query, readMigrations()));
});
