import type { TestDatabase } from "./test-database.ts";

/** Ends when some connection to the database waits for a lock that another holds. */
export async function untilBlocked(db: TestDatabase): Promise<void> {
  const deadline = performance.now() + 25_000;
  while (performance.now() < deadline) {
    const [row] = await db.query<{ blocked: boolean }>(
      `select exists (
         select from pg_stat_activity
         where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
       ) as blocked`,
    );
    if (row?.blocked) return;
  }
  throw new Error("No connection came to wait for a lock within 25 s.");
}
