import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalSite, startLocalSite } from "../../test-support/local-site.ts";
import { type ModelServer, startModelServer } from "../../test-support/model-server.ts";
import { readWebsiteAnalysisConfig } from "../../website-analysis-config.ts";
import { websiteAnalysisPipeline } from "../../website-analysis-pipeline.ts";
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
  return { engine, add: (page: string) => engine.add(pipeline, { url: `${site.url}${page}` }) };
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

    expect(server.callsAbout(page)).toMatchObject(
      questionIds.map((question) => ({ question, shape, authorization, model, hasSchema: true })),
    );
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

    const asked = server.callsAbout(page).map(({ question }) => question);
    expect(asked).toEqual([
      "offer",
      "audience",
      "tone",
      "tone",
      "strengths",
      "weaknesses",
      "seo",
      "competitors",
    ]);
    const job = await engine.get(id);
    const [refused, next] = job?.attempts.filter(({ stage }) => stage === "model-analysis") ?? [];
    expect(refused?.error).toMatchObject({ name: "RetryAfter", message: expect.stringContaining("429") });
    const waitedMs = Number(next?.claimedAt) - Number(refused?.endedAt);
    expect(waitedMs).toBeGreaterThanOrEqual(990);
  },
);

test("time-outs, cut connections and nonsense cost another question, and then the analysis is whole", async () => {
  const cases = [
    ["hang", "had no answer within 4000 ms"],
    ["cut", "could not be asked"],
    ["nonsense", "was answered in a different form than asked for. It cost 1050 tokens."],
    ["other-form", "was answered in a different form than asked for"],
    ["html", "is not a model's answer"],
    [{ status: 500 }, "was answered with 500: the model says 500"],
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
      const job = await engine.get(id);
      const failed = job?.attempts.find(({ outcome }) => outcome !== "done");
      expect(failed?.error?.message).toContain(message);
    }),
  );
});

test("a model that only talks nonsense fails the job after its tries, with the answers before it kept", async () => {
  const { engine, add } = running.google;
  const page = "/page/nonsense";
  server.behave(page, (question) => (question === "audience" ? "nonsense" : "answer"));
  const { id } = await add(page);
  await expect(engine.result(id, limit)).rejects.toThrow("in a different form than asked for");
  const timesAsked = (wanted: string) =>
    server.callsAbout(page).filter(({ question }) => question === wanted).length;
  expect(timesAsked("audience")).toBe(5);
  expect(await engine.effects(id)).toMatchObject([
    { key: expect.stringMatching(/^ask offer@1 [0-9a-f]{16}$/), state: "done" },
    { key: expect.stringMatching(/^ask audience@1 /), state: "stopped" },
  ]);

  server.behave(page, () => "answer");
  await engine.retry(id);
  await engine.result(id, limit);
  expect([timesAsked("offer"), timesAsked("audience"), timesAsked("tone")]).toEqual([1, 6, 1]);
});

test.each([401, 404])("an answer of %i is final, and the key is in no error", async (status) => {
  const { engine, add } = running.openai;
  const page = `/page/status-${status}`;
  server.behave(page, () => ({ status }));
  const { id } = await add(page);
  await expect(engine.result(id, limit)).rejects.toThrow("See MODEL_NAME and the key of the provider.");
  expect(server.callsAbout(page)).toHaveLength(1);
  expect(JSON.stringify(await engine.get(id))).not.toContain("key-1");
});
