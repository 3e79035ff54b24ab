import type { TestDatabase } from "./test-database.ts";

/** Leaves all that is held as a crash of PostgreSQL does when the claims were not on disk yet. */
export async function forgetClaims(db: Pick<TestDatabase, "query">): Promise<void> {
  await db.query(
    `update lockstep.jobs
     set status = 'pending', claim_token = null, worker_id = null, held_by = null, claimed_at = null,
       attempt = attempt - 1
     where status = 'processing'`,
  );
  await db.query("delete from lockstep.stage_moves where moved_to = 'processing'");
  await db.query("truncate lockstep.claimed_ranges, lockstep.claim_epoch");
}
