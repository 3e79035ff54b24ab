import { type TestDatabase, testDatabase } from "@lockstep/test-support";
import { beforeAll } from "vitest";

/** A test file's database in which nothing happens by itself: what is counted is the engine's own doing. */
export function quietDatabase(): TestDatabase {
  const db = testDatabase();
  beforeAll(async () => {
    // Retention makes the tables of the coming days, and is then not due again while a guard counts.
    await db.call("delete_finished_jobs");
    const tables = await db.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relnamespace = to_regnamespace('lockstep') and relkind = 'r'`,
    );
    for (const { name } of tables) await db.query(`alter table ${name} set (autovacuum_enabled = off)`);
  });
  return db;
}
