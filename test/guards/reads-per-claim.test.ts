import { beforeAll, expect, test } from "vitest";
import { costOf } from "./cost-of.ts";
import { addJobs, drain, jobs, threeStages } from "./counted-work.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();
const few = 4_000;
const many = 20_000;

interface Reads {
  readonly entries: number;
  readonly blocks: number;
}
let withFew: Reads;

/** Of both tables and all their indexes, for each claim with its settling, while so many jobs wait. */
async function readsPerClaim(waiting: number): Promise<Reads> {
  await db.query("truncate lockstep.jobs");
  await addJobs(db, threeStages, jobs(waiting));
  let claims = 0;
  const cost = await costOf(db, async () => {
    ({ claims } = await drain(db, threeStages, few / 2));
  });
  return {
    entries: (cost.jobs.indexEntries + cost.finishedJobs.indexEntries) / claims,
    blocks: (cost.jobs.blocks + cost.finishedJobs.blocks) / claims,
  };
}

function expectNoMoreThanWithFew({ entries, blocks }: Reads): void {
  // What reads all the jobs there are goes far beyond this; what two calls at once cost each other does not.
  expect(entries).toBeLessThanOrEqual(2 * withFew.entries);
  expect(blocks).toBeLessThanOrEqual(2 * withFew.blocks);
}

beforeAll(async () => {
  withFew = await readsPerClaim(few);
});

test("a claim and its settling read at most 15 index entries", () => {
  expect(withFew.entries).toBeLessThanOrEqual(15);
});

test("a claim reads as much with 20,000 jobs waiting as with 4,000", async () => {
  expectNoMoreThanWithFew(await readsPerClaim(many));
});

test("a claim reads as much with 20,000 finished jobs kept as with almost none", async () => {
  await db.query(
    `create temporary table kept as
     select f.* from lockstep.finished_jobs f cross join generate_series(1, 20) limit ${many}`,
  );
  await db.query("update kept set id = gen_random_uuid()");
  await db.query("insert into lockstep.finished_jobs select * from kept");
  expectNoMoreThanWithFew(await readsPerClaim(few));
});
