// In real time: only real processes can race or be killed.
import { fileURLToPath } from "node:url";
import { testDatabase } from "@lockstep/test-support";
import type { Branch, JobId } from "lockstep";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { chooseAnalyst } from "../../../apps/website-analysis/src/services/asking/choose-analyst.ts";
import { questionIds } from "../../../apps/website-analysis/src/services/asking/questions.ts";
import {
  type LocalSite,
  startLocalSite,
} from "../../../apps/website-analysis/src/test-support/local-site.ts";
import { startModelServer } from "../../../apps/website-analysis/src/test-support/model-server.ts";
import { readWebsiteAnalysisConfig } from "../../../apps/website-analysis/src/website-analysis-config.ts";
import { websiteAnalysisPipeline } from "../../../apps/website-analysis/src/website-analysis-pipeline.ts";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorkerProgram } from "../processes/worker-process.ts";
import { holderOf } from "../stories/holder-of.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";
import type { WebsiteAnalysisWorkerOptions } from "./website-analysis-worker.ts";

const db = testDatabase();
beforeEach(() => db.reset());
verifyAfterEach(db);

let site: LocalSite;
beforeAll(async () => {
  site = await startLocalSite();
});
afterAll(() => site.stop());

const program = fileURLToPath(new URL("./website-analysis-worker.ts", import.meta.url));
const stages = ["website-analysis", "prompt-forming", "model-analysis", "report-forming"];

/** A process that only adds and reads, and two that only work. */
async function givenTwoWorkers(
  env: Record<string, string>,
  settings: WebsiteAnalysisWorkerOptions["settings"] = {},
) {
  const options: WebsiteAnalysisWorkerOptions = {
    databaseUrl: db.url,
    env: { WEBSITE_ANALYSIS_ALLOW: site.host, WEBSITE_ANALYSIS_TOKEN_BUDGET: "500", ...env },
    settings,
  };
  // As the workers know it, with the budgets of its model: whoever defines a pipeline last defines it for all.
  const config = readWebsiteAnalysisConfig(options.env);
  const pipeline = websiteAnalysisPipeline({ config, analyst: chooseAnalyst(config.model) });
  const client = storyEngine(db, { pipelines: [pipeline] });
  const workers = await Promise.all([
    startWorkerProgram(program, options),
    startWorkerProgram(program, options),
  ]);
  return { client, pipeline, workers: workers as [(typeof workers)[0], (typeof workers)[1]] };
}

test("two schedulers in two processes analyse 300 pages, each stage and each question of each job done once", async () => {
  const { client, pipeline, workers } = await givenTwoWorkers({ MODEL_PROVIDER: "local" });
  const paths = Array.from({ length: 300 }, (_none, index) => `/page/${index}`);
  const added = await client.addMany(
    pipeline,
    paths.map((path) => ({ payload: { url: `${site.url}${path}` } })),
  );
  await until(
    "no job is left",
    async () => {
      const [row] = await db.query<{ is_empty: boolean }>(
        "select not exists (select from lockstep.jobs) as is_empty",
      );
      return row?.is_empty === true;
    },
    { limitMs: 100_000 },
  );
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));

  const runs = workers.map(({ events }) =>
    events.all("job.started").map(({ jobId, stage }) => `${jobId}/${stage}`),
  );
  const asked = await db.query<{ run: string }>(
    `select f.id || '/' || s.name as run
     from lockstep.finished_jobs f join lockstep.stages s on s.id = f.stage_id
     where f.status = 'completed' and s.name = any ($1)`,
    [questionIds],
  );
  expect(asked).toHaveLength(paths.length * questionIds.length);
  const wanted = added.flatMap(({ id }) => stages.map((stage) => `${id}/${stage}`));
  expect(runs.flat().sort()).toEqual([...wanted, ...asked.map(({ run }) => run)].sort());
  for (const ofOneWorker of runs) expect(ofOneWorker.length).toBeGreaterThan(0);
  expect(paths.filter((path) => site.hits(path) !== 1)).toEqual([]);
  const completed = await db.query(
    "select id from lockstep.finished_jobs where status = 'completed' and batch_id is null",
  );
  expect(completed).toHaveLength(paths.length);
});

test("a worker killed mid-analysis is followed by another at the same question, which asks only what is missing", async () => {
  const model = await startModelServer();
  onTestFinished(() => model.stop());
  const page = "/page/killed";
  model.behave(page, (question, time) => (question === "strengths" && time === 1 ? "hang" : "answer"));
  const { client, pipeline, workers } = await givenTwoWorkers(
    { MODEL_BASE_URL: model.openAiUrl, MODEL_NAME: "any" },
    longLease,
  );
  const { id } = await client.add(pipeline, { url: `${site.url}${page}` });
  await model.asked(page, "strengths");
  // Answers that were on their way to the killed worker would be asked for again, as this one is.
  let question: Branch | undefined;
  await until("all others are answered", async () => {
    const branches = await client.branches(id);
    question = branches.find(({ branch }) => branch === "strengths");
    return branches.filter(({ status }) => status === "completed").length === questionIds.length - 1;
  });
  if (question === undefined) throw new Error(`Job ${id} has no branch "strengths".`);
  const { holder, other } = await holderOf(client, question.jobId, "strengths", workers);

  holder.kill("SIGKILL");
  await endLease(db, holder);
  const result = await client.result(id, { timeoutMs: 60_000 });

  expect(result.answers.map(({ question }) => question)).toEqual(questionIds);
  const calls = model.callsAbout(page);
  const timesAsked = Object.fromEntries(
    questionIds.map((id) => [id, calls.filter(({ question }) => question === id).length]),
  );
  expect(timesAsked).toEqual({
    ...Object.fromEntries(questionIds.map((question) => [question, 1])),
    strengths: 2,
  });
  const keys = calls.filter(({ question }) => question === "strengths").map((call) => call.idempotencyKey);
  expect(keys[1]).toBe(keys[0]);
  expect(site.hits(page)).toBe(1);
  const triesOf = async (jobId: JobId) =>
    (await client.get(jobId))?.attempts.map(({ stage, outcome, workerId }) => [stage, outcome, workerId]);
  expect(await triesOf(question.jobId)).toEqual([
    ["strengths", "lost", holder.workerId],
    ["strengths", "done", other.workerId],
  ]);
  expect(await triesOf(id)).toEqual([
    ["website-analysis", "done", expect.any(String)],
    ["prompt-forming", "done", expect.any(String)],
    ["model-analysis", "branched", expect.any(String)],
    ["report-forming", "done", other.workerId],
  ]);
});
