import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { readCatalogue } from "./catalogue.ts";
import { readMigrations } from "./read-migrations.ts";
import { readReasons } from "./reasons.ts";

const db = testDatabase();

test("the migrations say for every table and every column why it is there, in a comment beside or above it", async () => {
  const reasons = readReasons(readMigrations());
  const { tables } = await readCatalogue(db.query);
  const without = tables
    .filter(({ partOf }) => partOf === null)
    .flatMap(({ name, columns }) => [
      ...((reasons.get(name)?.table ?? "") === "" ? [name] : []),
      ...columns
        .filter((column) => !reasons.get(name)?.columns.has(column.name))
        .map((column) => `${name}.${column.name}`),
    ]);
  expect(without, "give each of these a comment in packages/database/migrations").toEqual([]);
});
