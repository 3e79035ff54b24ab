import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bookkeepingSql } from "../../packages/database/src/migrating/migrate.ts";
import { repository } from "../run-command.ts";

/** All statements that create tables, as one text: those of migrate itself, then the migrations in their order. */
export function readMigrations(): string {
  const folder = join(repository, "packages/database/migrations");
  const migrations = readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return [bookkeepingSql, ...migrations].join("\n");
}
