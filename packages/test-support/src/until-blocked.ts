import type { TestDatabase } from "./test-database.ts";

/** Ends when so many connections to the database wait for locks that others hold. */
export async function untilBlocked(db: TestDatabase, connections = 1): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (performance.now() < deadline) {
    const blocked = await db.query(
      `select from pg_stat_activity
       where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    if (blocked.length >= connections) return;
  }
  throw new Error(`Fewer than ${connections} connections came to wait for a lock within 25 s.`);
}
