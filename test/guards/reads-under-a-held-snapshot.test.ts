import { expect, test } from "vitest";
import { type Cost, costOf } from "./cost-of.ts";
import { addJobs, drain, jobs, oneStage } from "./counted-work.ts";
import { quietDatabase } from "./quiet-database.ts";

const db = quietDatabase();

/** Adds and drains while a transaction holds an older snapshot, so that no dead entry can be cleaned up. */
async function underHeldSnapshot(count: number): Promise<Cost> {
  await db.query("truncate lockstep.jobs");
  const holder = await db.connect();
  await holder.query("begin isolation level repeatable read");
  await holder.query("select count(*) from lockstep.stages");
  await addJobs(db, oneStage, jobs(count));
  // In small batches there are many claims, and whatever one of them reads too much counts as often.
  const cost = await costOf(db, () => drain(db, oneStage, count, { claimBatchSize: 100 }));
  await holder.query("commit");
  return cost;
}

test("under a held snapshot a claim reads no more dead entries after 12,000 jobs than after 3,000", async () => {
  const few = await underHeldSnapshot(3_000);
  const many = await underHeldSnapshot(12_000);
  const deadOfFew = few.claimable.deadEntries / 3_000;
  const deadOfMany = many.claimable.deadEntries / 12_000;
  // Each look from the start reads all of them once; at the end of a drain there are a few.
  expect(deadOfMany).toBeLessThanOrEqual(1.2 * deadOfFew + 5);
  expect(deadOfMany).toBeLessThanOrEqual(8);
});
