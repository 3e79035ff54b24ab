import { systemClock } from "lockstep/internal";
import { beforeEach, expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { drain } from "./counted-work.ts";
import { addBacklog, addMixedJobs, mixed } from "./mixed-work.ts";
import { quietDatabase } from "./quiet-database.ts";

// Plans are told by what they read: their text is not the same from one PostgreSQL to the next, nor is the way to get
// at it. A plan that goes through the whole table, or sorts what waits, reads all of it.

const db = quietDatabase();
const count = 1_000;

beforeEach(async () => {
  // As new: without statistics.
  await db.query("truncate lockstep.jobs");
});

test.each([
  { when: "while the tables are new", prepare: async () => {} },
  { when: "straight after a burst", prepare: () => addBacklog(db, { inLine: 3_000, forTomorrow: 5_000 }) },
  {
    when: "straight after a burst, with the statistics of empty tables",
    prepare: async () => {
      await db.query("analyze lockstep.jobs");
      await addBacklog(db, { inLine: 3_000, forTomorrow: 5_000 });
    },
  },
  {
    // Its pages are still there, and so it passes for a table that is always as good as empty.
    when: "straight after a burst, with the statistics of a table that was emptied",
    prepare: async () => {
      await addBacklog(db, { inLine: 3_000, forTomorrow: 5_000 });
      await db.query("delete from lockstep.jobs");
      await db.query("vacuum (analyze, truncate false) lockstep.jobs");
      await addBacklog(db, { inLine: 3_000, forTomorrow: 5_000 });
    },
  },
  {
    when: "with the statistics of 25,000 rows",
    prepare: async () => {
      await addBacklog(db, { inLine: 3_000, forTomorrow: 22_000 });
      await db.query("analyze lockstep.jobs, lockstep.finished_jobs");
    },
  },
])("no plan goes through all jobs or sorts them, $when", async ({ prepare }) => {
  await prepare();
  const added = await costOf(db, () => addMixedJobs(db, count));
  let claims = 0;
  const drained = await costOf(db, async () => {
    ({ claims } = await drain(db, mixed, (count * 3) / 4, { clock: systemClock, claimBatchSize: 100 }));
  });
  for (const { jobs, finishedJobs, temporaryFiles } of [added, drained]) {
    expect(jobs.sequentialScans).toBe(0);
    expect(finishedJobs.sequentialRows).toBe(0);
    expect(temporaryFiles).toBe(0);
  }
  expect((added.jobs.indexEntries + added.finishedJobs.indexEntries) / count).toBeLessThanOrEqual(5);
  expect((drained.jobs.indexEntries + drained.finishedJobs.indexEntries) / claims).toBeLessThanOrEqual(15);
});
