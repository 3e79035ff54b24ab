import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { expectedIndexes } from "./expected-indexes.ts";

const db = testDatabase();

test("the indexes read from the migrations are those that a new database has", async () => {
  const found = await db.query<{ name: string }>(
    `select i.relname as name
     from pg_class i
     join pg_index x on x.indexrelid = i.oid
     where i.relnamespace = 'lockstep'::regnamespace
       and not i.relispartition
       -- those of constraints stand and fall with their tables
       and not exists (select from pg_constraint c where c.conindid = i.oid)
     order by 1`,
  );
  const expected = await expectedIndexes();
  expect(expected.map(({ name }) => name).sort()).toEqual(found.map(({ name }) => name).sort());
});

test("what is printed for an index makes it again", async () => {
  for (const { name, sql } of await expectedIndexes()) {
    await db.query(`drop index lockstep.${name}`);
    await db.query(sql);
  }
  const invalid = await db.query("select indexrelid::regclass from pg_index where not indisvalid");
  expect(invalid).toEqual([]);
});
