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
const jobCount = 2_000;

test("two workers share 2,000 jobs of three stages, and run each stage of each job exactly once", async () => {
  const client = storyEngine(db);
  const workers = await Promise.all([
    startWorker(db, { pipelines: ["relay"] }),
    startWorker(db, { pipelines: ["relay"] }),
  ]);

  const added = await client.addMany(
    relay,
    Array.from({ length: jobCount }, () => ({ payload: {} })),
  );
  await until("no job is left", async () => {
    const [row] = await db.query<{ is_empty: boolean }>(
      "select not exists (select from lockstep.jobs) as is_empty",
    );
    return row?.is_empty === true;
  });
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));

  const runs = workers.map(({ events }) =>
    events.all("job.log").map(({ jobId, stage }) => `${jobId}/${stage}`),
  );
  const wanted = added.flatMap(({ id }) => ["collect", "shape", "deliver"].map((stage) => `${id}/${stage}`));
  expect(runs.flat().sort()).toEqual(wanted.sort());
  for (const ofOneWorker of runs) expect(ofOneWorker.length).toBeGreaterThan(0);
  const completed = await db.query("select id from lockstep.finished_jobs where status = 'completed'");
  expect(completed).toHaveLength(jobCount);
});
