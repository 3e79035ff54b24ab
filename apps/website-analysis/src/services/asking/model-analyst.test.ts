import { testDatabase } from "@lockstep/test-support";
import { createEngine, type Engine, type Job, type JobId } from "lockstep";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AnalysisView, analysisJob, analysisView } from "../../server/analysis-view.ts";
import { questionProgress } from "../../server/question-progress.ts";
import { visitorBudgets } from "../../server/visitor-budget.ts";
import { type LocalSite, startLocalSite } from "../../test-support/local-site.ts";
import { type ModelServer, startModelServer } from "../../test-support/model-server.ts";
import { readWebsiteAnalysisConfig } from "../../website-analysis-config.ts";
import { websiteAnalysisPipeline } from "../../website-analysis-pipeline.ts";
import { answerStream } from "./analyst.ts";
import { chooseAnalyst } from "./choose-analyst.ts";
import { questionIds } from "./questions.ts";

const environments = {
  "openai-compatible": ({ openAiUrl }: ModelServer) => ({
    MODEL_BASE_URL: openAiUrl,
    MODEL_NAME: "own-model",
  }),
  openai: ({ openAiUrl }: ModelServer) => ({
    OPENAI_API_KEY: "key-1",
    MODEL_PROVIDER: "openai",
    MODEL_BASE_URL: openAiUrl,
  }),
  google: ({ geminiUrl }: ModelServer) => ({
    GOOGLE_GENERATIVE_AI_API_KEY: "key-2",
    MODEL_PROVIDER: "google",
    MODEL_BASE_URL: geminiUrl,
  }),
};
type Provider = keyof typeof environments;

// Each would take the jobs of the others, so each has its own.
const databases = { "openai-compatible": testDatabase(), openai: testDatabase(), google: testDatabase() };
let site: LocalSite;
let server: ModelServer;
let running: Record<Provider, Awaited<ReturnType<typeof start>>>;

async function start(provider: Provider) {
  const config = readWebsiteAnalysisConfig({
    ...environments[provider](server),
    WEBSITE_ANALYSIS_ALLOW: site.host,
    MODEL_TIMEOUT_MS: "4000",
    MODEL_INPUT_USD_PER_MILLION: "0.4",
    MODEL_OUTPUT_USD_PER_MILLION: "2",
  });
  const analyst = chooseAnalyst(config.model);
  const pipeline = websiteAnalysisPipeline({ config, analyst, retry: { baseMs: 10 } });
  const engine = createEngine({ databaseUrl: databases[provider].url, pipelines: [pipeline], logger: null });
  await engine.start();
  return { engine, pipeline, add: (page: string) => engine.add(pipeline, { url: `${site.url}${page}` }) };
}

beforeAll(async () => {
  [site, server] = await Promise.all([startLocalSite(), startModelServer()]);
  const [compatible, openai, google] = await Promise.all([
    start("openai-compatible"),
    start("openai"),
    start("google"),
  ]);
  running = { "openai-compatible": compatible, openai, google };
});

afterAll(async () => {
  await Promise.all(Object.values(running).map(({ engine }) => engine.stop()));
  await Promise.all([site.stop(), server.stop()]);
  for (const db of Object.values(databases)) expect(await db.call("verify")).toEqual([]);
});

const limit = { timeoutMs: 20_000 };

/** How often each question was asked about a page. */
function timesAsked(page: string): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(questionIds.map((question) => [question, 0]));
  for (const { question } of server.callsAbout(page)) {
    const name = question ?? "no question";
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

const onceEach = Object.fromEntries(questionIds.map((question) => [question, 1]));

/** The job that asks a question about the page of another. */
async function questionJob(engine: Engine, id: JobId, question: string): Promise<Job> {
  const branch = (await engine.branches(id)).find((one) => one.branch === question);
  const job = branch === undefined ? null : await engine.get(branch.jobId);
  if (job === null) throw new Error(`Job ${id} has no branch "${question}".`);
  return job;
}

/** What the page shows of it. */
async function viewOf(engine: Engine, id: JobId): Promise<AnalysisView> {
  const job = await engine.get(id);
  if (job === null) throw new Error(`Job ${id} is gone.`);
  return analysisView(job, [], await questionProgress(engine, job));
}

test.each([
  ["openai-compatible", "openai", null, "own-model", "served-model"],
  ["openai", "openai", "Bearer key-1", "gpt-5-mini", "served-model"],
  ["google", "gemini", "key-2", "gemini-2.5-flash", "gemini-2.5-flash"],
] as const)(
  "%s is asked every question once, with a schema, and its tokens and cost are recorded",
  async (provider, shape, authorization, model, served) => {
    const { engine, add } = running[provider];
    const page = `/page/${provider}`;
    const { id } = await add(page);
    const result = await engine.result(id, limit);

    expect(timesAsked(page)).toEqual(onceEach);
    expect(server.callsAbout(page)).toMatchObject(
      questionIds.map(() => ({ shape, authorization, model, hasSchema: true })),
    );
    expect(result.answers.map(({ question }) => question)).toEqual(questionIds);
    expect(result.analysedBy).toEqual({ kind: "model", provider, model });
    expect(result.answers[0]).toEqual({
      question: "offer",
      promptVersion: 1,
      summary: "An answer to offer.",
      points: [
        { text: "first", evidence: null, confidence: null },
        { text: "second", evidence: null, confidence: null },
      ],
      confidence: "high",
      model: served,
      usage: { inputTokens: 1_000, outputTokens: 50, costUsd: 0.0005 },
    });
    expect(result.usage).toMatchObject({ inputTokens: 7_000, outputTokens: 350 });
    expect(result.usage.costUsd).toBeCloseTo(0.0035, 10);
  },
);

test.each(["openai", "google"] as const)(
  "a rate limit of %s is waited out, and only the question that met it is asked again",
  async (provider) => {
    const { engine, add } = running[provider];
    const page = `/page/limited-${provider}`;
    server.behave(page, (question, time) =>
      question === "tone" && time === 1 ? { status: 429, retryAfter: "1" } : "answer",
    );
    const { id } = await add(page);
    await engine.result(id, limit);

    expect(timesAsked(page)).toEqual({ ...onceEach, tone: 2 });
    const [refused, next] = (await questionJob(engine, id, "tone")).attempts;
    expect(refused?.error).toMatchObject({ name: "RetryAfter", message: expect.stringContaining("429") });
    const waitedMs = Number(next?.claimedAt) - Number(refused?.endedAt);
    expect(waitedMs).toBeGreaterThanOrEqual(990);
  },
);

test("time-outs, cut connections and nonsense cost another question, and then the analysis is whole", async () => {
  const cases = [
    ["hang", 'had no answer about the question "audience" in time'],
    ["cut", "could not be asked about"],
    [{ half: "cut" }, 'answer about the question "audience" broke off'],
    ["nonsense", "in a different form than asked for: it is not JSON. It cost 1050 tokens."],
    ["other-form", "in a different form than asked for: summary: "],
    ["html", "broke off"],
    [{ status: 500 }, 'answered about the question "audience" with 500: the model says 500'],
  ] as const;
  const { engine, add } = running["openai-compatible"];
  await Promise.all(
    cases.map(async ([behaviour, message], index) => {
      const page = `/page/case-${index}`;
      server.behave(page, (question, time) => (question === "audience" && time === 1 ? behaviour : "answer"));
      const { id } = await add(page);
      const result = await engine.result(id, limit);

      expect(result.answers).toHaveLength(questionIds.length);
      const calls = server.callsAbout(page);
      expect(calls).toHaveLength(questionIds.length + 1);
      const asked = calls.filter(({ question }) => question === "audience");
      expect(asked).toHaveLength(2);
      // The same key both times: a server that knows it answers without doing it twice.
      expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      const { attempts } = await questionJob(engine, id, "audience");
      const failed = attempts.find(({ outcome }) => outcome !== "done");
      expect(failed?.error?.message).toContain(message);
    }),
  );
});

test("a model that only talks nonsense fails the job after its tries, with the other answers kept", async () => {
  const { engine, add } = running.google;
  const page = "/page/nonsense";
  server.behave(page, (question) => (question === "audience" ? "nonsense" : "answer"));
  // Its turn comes when the others are answered, so that none of them is cancelled with it.
  const stage = ["website-analysis:model-analysis:audience", "audience"] as const;
  await engine.pause(...stage);
  const { id } = await add(page);
  await vi.waitFor(async () => {
    const completed = (await engine.branches(id)).filter(({ status }) => status === "completed");
    expect(completed).toHaveLength(questionIds.length - 1);
  }, limit.timeoutMs);
  await engine.resume(...stage);
  await expect(engine.result(id, limit)).rejects.toThrow(
    /Branch "audience" .*: The model answered about the question "audience" in a different form than asked for/,
  );
  // A visitor is told of the question, not of branches, and in the list, too.
  const error = expect.stringMatching(
    /^The model answered about the question "audience" in a different form/,
  );
  expect(await viewOf(engine, id)).toMatchObject({
    ...{ status: "failed", currentStep: "model-analysis", retryCount: 4, error },
    stages: [{ state: "done" }, { state: "done" }, { state: "failed" }],
  });
  const [listed] = await engine.list({ status: "failed", pipeline: "website-analysis", limit: 1 });
  expect(listed && analysisJob(listed, "")).toMatchObject({ id, error });
  const audience = await questionJob(engine, id, "audience");
  expect(timesAsked(page).audience).toBe(5);
  expect(await engine.effects(audience.id)).toMatchObject([{ key: "ask audience@1", state: "stopped" }]);

  server.behave(page, () => "answer");
  await engine.retry(id);
  const { answers } = await engine.result(id, limit);
  expect(answers).toHaveLength(questionIds.length);
  expect(timesAsked(page)).toEqual({ ...onceEach, audience: 6 });
});

test("the questions are asked side by side: one without an answer keeps none of the others waiting", async () => {
  const { engine, add } = running["openai-compatible"];
  const page = "/page/side-by-side";
  // The first of all would hold up every other if they had to wait for it.
  server.behave(page, (question) => (question === "offer" ? "hang" : "answer"));
  const { id } = await add(page);
  await Promise.all(questionIds.map((question) => server.asked(page, question)));
  expect(timesAsked(page)).toEqual(onceEach);
  const inProgress = { state: "running", percent: 600 / 7, note: "asking: offer" };
  await vi.waitFor(
    async () => expect((await viewOf(engine, id)).stages[2]).toMatchObject(inProgress),
    // Before its time is over.
    3_500,
  );
  expect(await engine.cancel(id)).toBe("cancelled");
});

test("a worker makes at most ten calls at once, however many pages it analyses", async () => {
  const { engine, add } = running["openai-compatible"];
  const pages = ["/page/many-1", "/page/many-2", "/page/many-3"];
  let open: (rest: "rest") => void = () => {};
  const half = new Promise<"rest">((resolve) => {
    open = resolve;
  });
  for (const page of pages) server.behave(page, () => ({ half }));
  const added = await Promise.all(pages.map(add));
  const callsAbout = () => pages.flatMap((page) => server.callsAbout(page)).length;
  await vi.waitFor(() => expect(callsAbout()).toBeGreaterThanOrEqual(10), limit.timeoutMs);
  open("rest");
  for (const { id } of added) await engine.result(id, limit);
  expect(callsAbout()).toBe(pages.length * questionIds.length);
  expect(server.mostAtOnce((page) => pages.includes(page))).toBe(10);
});

test("a visitor whose tokens of the day are used up waits, others do not, and it goes on when there are more", async () => {
  const { engine, pipeline } = running.openai;
  const url = `${site.url}/page/budget`;
  await engine.setBudgetLimit("website-analysis-tokens", 0, { scope: "ada", by: "test" });
  const { id } = await engine.add(pipeline, { url }, { owner: "ada" });
  const waits = { waitsFor: "You have used up what answers may cost you in a day. It goes on at 00:00 UTC." };
  await vi.waitFor(async () => expect(await viewOf(engine, id)).toMatchObject(waits), limit.timeoutMs);
  const other = await engine.add(pipeline, { url }, { owner: "bob" });
  await engine.result(other.id, limit);
  expect(await visitorBudgets(engine, pipeline, "bob")).toMatchObject([
    { unit: "tokens", spent: 7_350, limit: 500_000 },
    { unit: "US dollars", spent: 0.0035, limit: 1 },
  ]);
  expect(await visitorBudgets(engine, pipeline, "ada")).toMatchObject([{ spent: 0, limit: 0 }, { spent: 0 }]);
  await engine.setBudgetLimit("website-analysis-tokens", null, { scope: "ada", by: "test" });
  await engine.result(id, limit);
});

test("the words of an answer are in its question's stream while it comes, and nothing twice after a cut", async () => {
  const { engine, add } = running.google;
  const page = "/page/words";
  server.behave(page, (question, time) => (question === "tone" && time === 1 ? { half: "cut" } : "answer"));
  const { id } = await add(page);
  await engine.result(id, limit);
  const { id: toneId } = await questionJob(engine, id, "tone");
  const seen: string[] = [];
  for await (const entry of engine.readStream<string>(toneId, answerStream)) {
    if (entry.kind === "rewind") seen.length = entry.to;
    else seen.push(entry.chunk);
  }
  expect(seen.join("")).toBe("An answer to tone.\n– first\n– second");
  expect(seen.length).toBeGreaterThan(2);
});

test.each([401, 404])("an answer of %i is final, and the key is in no error", async (status) => {
  const { engine, add } = running.openai;
  const page = `/page/status-${status}`;
  server.behave(page, () => ({ status }));
  const { id } = await add(page);
  await expect(engine.result(id, limit)).rejects.toThrow("See MODEL_NAME and the key of the provider.");
  // Those that were on their way when the first was refused have been asked, too, and none of them twice.
  expect(Math.max(...Object.values(timesAsked(page)))).toBe(1);
  const jobs: unknown[] = [await engine.get(id)];
  for (const { jobId } of await engine.branches(id)) jobs.push(await engine.get(jobId));
  expect(JSON.stringify(jobs)).not.toContain("key-1");
});
