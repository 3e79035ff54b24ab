import { sql } from "drizzle-orm";
import type { Engine } from "lockstep";
import type { EntriesDatabase } from "../database/entries-database.ts";
import { followerTable } from "../database/follower-table.ts";
import { processEntryName } from "../process-entry-name.ts";
import { writeFailure } from "./entry-steps.ts";

const eventsBetweenNotes = 100;

/**
 * Tells entries of the ends that no stage could write: a job that was cancelled, that timed out, or whose workers died too
 * often. Reads the log that is written in the same transaction as those ends, so none is missed; several may read at once.
 */
export async function followFailures(
  { db, engine }: { db: EntriesDatabase; engine: Pick<Engine, "readEvents"> },
  signal: AbortSignal,
): Promise<void> {
  const after = (await db.select().from(followerTable))[0]?.cursor ?? "start";
  let unnoted = 0;
  for await (const event of engine.readEvents({ pipeline: processEntryName, after, signal })) {
    const isEnd = event.kind === "job.failed" || event.kind === "job.cancelled";
    if (isEnd) await writeFailure(db, event.jobId, event.detail.error?.message ?? "it was cancelled");
    unnoted += 1;
    if (!isEnd && unnoted < eventsBetweenNotes) continue;
    unnoted = 0;
    const { cursor } = event;
    await db
      .insert(followerTable)
      .values({ cursor })
      .onConflictDoUpdate({ target: followerTable.isOnly, set: { cursor: sql`excluded.cursor` } });
  }
}
