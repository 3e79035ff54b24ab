import type { TestDatabase } from "@lockstep/test-support";

/** What PostgreSQL's clock does a lease after the last heartbeat of a worker that was killed or frozen. */
export async function endLease(
  db: Pick<TestDatabase, "query">,
  { workerId }: { readonly workerId: string },
): Promise<void> {
  // The length, too: a heartbeat that was under way when its process died may still arrive.
  await db.query(
    "update lockstep.workers set lease = '1 microsecond', lease_until = clock_timestamp() where id = $1",
    [workerId],
  );
}
