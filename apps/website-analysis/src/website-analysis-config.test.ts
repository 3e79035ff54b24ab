import { expect, test } from "vitest";
import { readWebsiteAnalysisConfig } from "./website-analysis-config.ts";

test("without any variable it reads the public web and asks no model", () => {
  expect(readWebsiteAnalysisConfig({})).toEqual({
    allow: [],
    fetchTimeoutMs: 10_000,
    hostIntervalMs: 1_000,
    databaseUrl: null,
    port: 4_600,
    worksInServer: true,
    secret: null,
    visitorLimits: { atOnce: 5, perHour: 60 },
    maxPending: 1_000,
    tokenBudget: 3_000,
    model: null,
  });
});

test.each<[env: Record<string, string>, model: object | null]>([
  [{ OPENAI_API_KEY: "k" }, { provider: "openai", name: "gpt-5-mini", apiKey: "k" }],
  [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, { provider: "google", name: "gemini-2.5-flash", apiKey: "k" }],
  [
    { MODEL_BASE_URL: "http://127.0.0.1:1/v1", MODEL_NAME: "m" },
    { provider: "openai-compatible", name: "m", apiKey: null },
  ],
  [{ OPENAI_API_KEY: "k", MODEL_PROVIDER: "local" }, null],
  [{ OPENAI_API_KEY: "" }, null],
  [
    {
      OPENAI_API_KEY: "k",
      MODEL_NAME: "big",
      MODEL_INPUT_USD_PER_MILLION: "1",
      MODEL_OUTPUT_USD_PER_MILLION: "2.5",
    },
    { name: "big", prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2.5 } },
  ],
])("%j chooses the model %j", (env, model) => {
  const config = readWebsiteAnalysisConfig(env);
  if (model === null) expect(config.model).toBeNull();
  else expect(config.model).toMatchObject(model);
});

test.each<[env: Record<string, string>, message: string]>([
  [
    { MODEL_PROVIDER: "opnai" },
    'MODEL_PROVIDER must be "openai", "google", "openai-compatible" or "local", not "opnai".',
  ],
  [{ MODEL_PROVIDER: "openai" }, "OPENAI_API_KEY is not set; it must be set for MODEL_PROVIDER=openai"],
  [
    { MODEL_BASE_URL: "http://127.0.0.1:1/v1" },
    "MODEL_NAME is not set; it must be the name of the model to ask.",
  ],
  [
    { MODEL_PROVIDER: "openai-compatible", MODEL_NAME: "m" },
    "MODEL_BASE_URL is not set; it must be an address",
  ],
  [{ MODEL_BASE_URL: "127.0.0.1", MODEL_NAME: "m" }, "MODEL_BASE_URL must be an address"],
  [
    { WEBSITE_ANALYSIS_TOKEN_BUDGET: "lots" },
    "WEBSITE_ANALYSIS_TOKEN_BUDGET must be a whole number from 300",
  ],
  [{ OPENAI_API_KEY: "k", MODEL_INPUT_USD_PER_MILLION: "1" }, "must be set together"],
])("%j is refused: %s", (env, message) => {
  expect(() => readWebsiteAnalysisConfig(env)).toThrow(message);
});
