import { testDatabase } from "@lockstep/test-support";
import { expect, test } from "vitest";
import { startWorker } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);

const { relay } = storyPipelines();
const jobCount = 5_000;

test("5,000 jobs are cancelled by two runners while a worker works on them, and each ends once", async () => {
  const [client, other] = [storyEngine(db), storyEngine(db)];
  await client.addMany(
    relay,
    Array.from({ length: jobCount }, () => ({ payload: {} })),
  );
  const worker = await startWorker(db, { pipelines: ["relay"] });
  await until("the worker has completed some", async () => {
    const rows = await db.query("select from lockstep.finished_jobs limit 1");
    return rows.length > 0;
  });

  const { id } = await client.bulk.start({ action: "cancel", filter: { pipeline: "relay" } });
  client.bulkRunner().start();
  other.bulkRunner().start();
  await until("the bulk action is done", async () => (await client.bulk.get(id))?.status === "done");
  await until("no job is left", async () => {
    const rows = await db.query("select from lockstep.jobs limit 1");
    return rows.length === 0;
  });
  worker.kill("SIGTERM");
  await worker.ended;

  const ended = await db.query<{ status: string; jobs: number }>(
    "select status, count(*)::int as jobs from lockstep.finished_jobs group by status order by status",
  );
  expect(ended.map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  expect(ended.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(jobCount);
  const bulk = await client.bulk.get(id);
  expect(bulk).toMatchObject({ failed: 0, failures: [] });
  // A job that ran when it was asked to stop may have completed first.
  expect(bulk?.done).toBeGreaterThanOrEqual(ended[1]?.jobs ?? 0);
});
