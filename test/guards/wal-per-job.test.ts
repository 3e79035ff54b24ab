import { expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { addJobs, drain, jobs, oneStage, threeStages } from "./counted-work.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();

/** After a checkpoint a server may log each page whole once. There is none to come soon, and the pages are new. */
async function refuseWholePages(): Promise<void> {
  const [server] = await db.query<{ full_page_writes: string }>("show full_page_writes");
  if (server?.full_page_writes === "on") await db.query("checkpoint");
}

// With a payload of 100 bytes; fence, history and counters included. WAL is counted for the whole server, on which
// these files run alone.
test.each([
  { pipeline: oneStage, count: 10_000, mostToAdd: 430, mostToDrain: 970 },
  { pipeline: threeStages, count: 5_000, mostToAdd: 430, mostToDrain: 3_400 },
])(
  "a job of $pipeline.name takes at most $mostToAdd bytes of WAL to add and $mostToDrain to drain",
  async ({ pipeline, count, mostToAdd, mostToDrain }) => {
    await db.query("truncate lockstep.jobs");
    await refuseWholePages();
    const added = await costOf(db, () => addJobs(db, pipeline, jobs(count)));
    const drained = await costOf(db, () => drain(db, pipeline, count));
    expect(added.walBytes / count).toBeLessThanOrEqual(mostToAdd);
    expect(drained.walBytes / count).toBeLessThanOrEqual(mostToDrain);
  },
);
