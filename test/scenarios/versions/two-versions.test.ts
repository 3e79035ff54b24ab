import { testDatabase } from "@lockstep/test-support";
import { definePipeline } from "lockstep";
import { beforeEach, expect, test } from "vitest";
import { startWorker, type WorkerProcess } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { type ReleasePayload, releasedPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

const { firstRelease, secondRelease } = releasedPipelines();

test("two versions work side by side until the old one is gone: nothing is lost, doubled or redefined", async () => {
  const oldClient = storyEngine(db, { pipelines: [firstRelease] });
  const newClient = storyEngine(db, { pipelines: [secondRelease] });
  const begin = () => startWorker(db, { pipelines: ["firstRelease"], processors: 2 });
  const oldWorker = await begin();
  // Begun in the old version: some are done, some stand in the stage that the new one leaves out.
  const begun = await oldClient.addMany(firstRelease, jobs(20));
  await until("the old worker is through with them", async () => (await live("release")) === 0);
  await oldClient.pause("release", "shape");
  begun.push(...(await oldClient.addMany(firstRelease, jobs(100))));
  await until("some wait to be shaped", async () => (await live("shape")) > 20);
  expect(await newClient.check()).toMatchObject([{ stage: "shape", reason: "unknown_stage" }]);

  const newWorker = await startWorker(db, { pipelines: ["secondRelease"], processors: 2 });
  const defined = await definition();
  expect(defined.map(({ name }) => name)).toEqual(["collect", "check", "deliver"]);
  const addedByNew = await newClient.addMany(secondRelease, jobs(50));
  oldWorker.kill("SIGTERM");
  await oldWorker.ended;
  // Started last, and yet not the one whose word counts.
  const restarted = await begin();
  const addedByOld = await oldClient.addMany(firstRelease, jobs(50));
  expect(await definition()).toEqual(defined);
  await newClient.resume("release", "shape");

  await until("no job is left", async () => (await live("release")) === 0);
  for (const worker of [newWorker, restarted]) worker.kill("SIGTERM");
  await Promise.all([newWorker.ended, restarted.ended]);
  expect(await definition()).toEqual(defined);

  const all = [...begun, ...addedByNew, ...addedByOld].map(({ id }) => id);
  const runs = runsOf(oldWorker, restarted, newWorker);
  const stagesOf = (id: string) => runs.filter(({ jobId }) => jobId === id).map(({ stage }) => stage);
  for (const id of all) {
    // In whatever version it went on: three stages, each once.
    expect([
      ["collect", "deliver", "shape"],
      ["check", "collect", "deliver"],
    ]).toContainEqual(stagesOf(id).sort());
  }
  const completed = await db.query("select id from lockstep.finished_jobs where status = 'completed'");
  expect(completed).toHaveLength(all.length);
  // What one version does not know, only the other has run.
  expect(stagesRunBy(newWorker)).not.toContain("shape");
  expect([...stagesRunBy(oldWorker), ...stagesRunBy(restarted)]).not.toContain("check");
  expect(stagesRunBy(restarted)).toContain("shape");
  expect(await newClient.check()).toEqual([]);
});

test("old code that comes to a newer definition first serves what it knows and refuses nothing", async () => {
  const newClient = storyEngine(db, { pipelines: [secondRelease] });
  const { id } = await newClient.add(secondRelease, {});
  const oldWorker = await startWorker(db, { pipelines: ["firstRelease"] });
  await until("it has collected", async () => (await newClient.get(id))?.stage === "check");
  expect(await newClient.workers()).toMatchObject([{ stages: ["release/collect", "release/deliver"] }]);
  await startWorker(db, { pipelines: ["secondRelease"] });
  await newClient.result(id, { timeoutMs: 60_000 });
  oldWorker.kill("SIGTERM");
  await oldWorker.ended;
});

test("without a version the worker that starts last defines the pipeline", async () => {
  const stage = () => null;
  const one = storyEngine(db, { pipelines: [definePipeline("plain").stage("a", stage)] });
  const other = storyEngine(db, { pipelines: [definePipeline("plain").stage("b", stage)] });
  await one.start();
  await other.start();
  expect((await definition()).map(({ name }) => name)).toEqual(["b"]);
});

async function definition(): Promise<Record<string, unknown>[]> {
  return db.query("select * from lockstep.stages where ordinal is not null order by ordinal");
}

function jobs(length: number): { payload: ReleasePayload }[] {
  return Array.from({ length }, () => ({ payload: {} }));
}

/** How many jobs are not finished, in a stage or in all of a pipeline. */
async function live(name: string): Promise<number> {
  const rows = await db.query(
    `select from lockstep.jobs j
     join lockstep.stages s on s.id = j.stage_id
     join lockstep.pipelines p on p.id = j.pipeline_id
     where $1 in (s.name, p.name)`,
    [name],
  );
  return rows.length;
}

function runsOf(...workers: WorkerProcess[]): { jobId: string; stage: string }[] {
  return workers.flatMap(({ events }) => events.all("job.log").map(({ jobId, stage }) => ({ jobId, stage })));
}

function stagesRunBy(worker: WorkerProcess): Set<string> {
  return new Set(runsOf(worker).map(({ stage }) => stage));
}
