import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { removeBench } from "./remove-bench.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
beforeEach(() => db.reset());

test("the jobs and numbers of the bench are taken away, and nothing else is", async () => {
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("lockstep-bench", ["only"]);
  await jobs.aPendingJob();
  await jobs.aPendingJob({ pipeline: "lockstep-bench" });
  const worker = await jobs.aWorker();
  const done = await jobs
    .aClaimedJob({ pipeline: "lockstep-bench", by: worker, stage: "lockstep-bench/only" })
    .catch(
      // Whichever of the two is claimed first.
      async () => (await jobs.claimAs(worker, { stage: "lockstep-bench/only" }))[0],
    );
  await db.call("complete_job", { p_id: done?.id, p_claim_token: done?.claim_token, p_output: 1 });

  await db.call("fold_counters");
  await jobs.aPendingJob({ pipeline: "lockstep-bench" });

  expect(await removeBench({ databaseUrl: db.url })).toBe(3);
  expect(await removeBench({ databaseUrl: db.url })).toBe(0);
  expect((await db.call<{ pipeline: string }>("list_jobs")).map(({ pipeline }) => pipeline)).toEqual([
    "orders",
  ]);
  expect(await db.query("select name from lockstep.pipelines")).toEqual([{ name: "orders" }]);
  for (const counters of ["moves", "counts", "history", "history_by_hour", "totals"]) {
    const left = `select from lockstep.stage_${counters} where stage_id not in (select id from lockstep.stages)`;
    expect(await db.query(left), counters).toEqual([]);
  }
  expect(await db.call("verify")).toEqual([]);
});
