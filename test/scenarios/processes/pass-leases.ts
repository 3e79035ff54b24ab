import type { TestDatabase } from "@lockstep/test-support";
import { until } from "../stories/until.ts";
import { longLease } from "./long-lease.ts";

/** Lets this many leases pass by PostgreSQL's clock, a part at a time: whoever lives has renewed its own in between. */
export async function passLeases(db: TestDatabase, count: number): Promise<void> {
  // What is left of each lease is enough for a busy machine, and soon over for a worker that does not renew it.
  const partMs = 0.75 * longLease.leaseMs;
  for (let passedMs = 0; passedMs < count * longLease.leaseMs; passedMs += partMs) {
    await db.timePasses(partMs);
    await until("all workers have renewed their leases", async () => {
      const overdue = await db.query(
        `select from lockstep.workers
         where lost_at is null and heartbeat_at < clock_timestamp() - interval '${longLease.leaseMs / 3} milliseconds'`,
      );
      return overdue.length === 0;
    });
  }
}
