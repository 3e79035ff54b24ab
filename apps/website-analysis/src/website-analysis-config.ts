import {
  databaseUrl,
  type Environment,
  EnvironmentError,
  list,
  oneOf,
  orNull,
  port,
  readEnvironment,
  secret,
  text,
  timeoutMs,
  webAddress,
  wholeNumber,
  workPlace,
} from "@lockstep/app-kit/environment";
import type { z } from "zod";

/** All settings of the app, read from the environment once. */
export interface WebsiteAnalysisConfig {
  /** Private addresses that may be read anyway. */
  readonly allow: readonly string[];
  readonly fetchTimeoutMs: number;
  /** The least time between two requests to one host. */
  readonly hostIntervalMs: number;
  /** Null: a PostgreSQL of its own. */
  readonly databaseUrl: string | null;
  readonly port: number;
  readonly worksInServer: boolean;
  /** Signs cookies and tokens; null: one that is kept in the database. */
  readonly secret: string | null;
  /** Analyses that one visitor may have waiting or running, and begin in an hour. */
  readonly visitorLimits: { readonly atOnce: number; readonly perHour: number };
  /** Of all visitors together. */
  readonly maxPending: number;
  /** The most tokens of one prompt, by our own estimate. */
  readonly tokenBudget: number;
  /** Null for the local analyst. */
  readonly model: ModelConfig | null;
}

export interface ModelConfig {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
  /** Whether an OpenAI-compatible server knows JSON schemas. */
  readonly hasJsonSchema: boolean;
  readonly prices: { readonly inputUsdPerMillion: number; readonly outputUsdPerMillion: number } | null;
  /** What each visitor may have it cost in a day; dollars count only if the prices are known. */
  readonly perVisitorDay: { readonly tokens: number; readonly dollars: number };
}

const providers = ["openai", "google", "openai-compatible"] as const;
export type ModelProvider = (typeof providers)[number];

const variables = {
  DATABASE_URL: databaseUrl,
  WEBSITE_ANALYSIS_PORT: port.default(4600),
  WEBSITE_ANALYSIS_WORKER: workPlace.default("in-server"),
  WEBSITE_ANALYSIS_SECRET: orNull(
    secret("must be a random text of at least 32 characters", (value) => value.length >= 32),
  ),
  WEBSITE_ANALYSIS_HOST_INTERVAL_MS: wholeNumber({ least: 0, most: 60_000 }).default(1_000),
  WEBSITE_ANALYSIS_VISITOR_AT_ONCE: wholeNumber({ least: 1, most: 1_000 }).default(5),
  WEBSITE_ANALYSIS_VISITOR_PER_HOUR: wholeNumber({ least: 1, most: 100_000 }).default(60),
  WEBSITE_ANALYSIS_MAX_PENDING: wholeNumber({ least: 1, most: 1_000_000 }).default(1_000),
  WEBSITE_ANALYSIS_ALLOW: list(),
  WEBSITE_ANALYSIS_FETCH_TIMEOUT_MS: wholeNumber({ least: 100, most: 120_000 }).default(10_000),
  WEBSITE_ANALYSIS_TOKEN_BUDGET: wholeNumber({ least: 300, most: 100_000 }).default(3_000),
};

const isAmount = (value: string) => Number(value) >= 0;
const price = orNull(text("must be a price in US dollars, such as 0.25", isAmount).transform(Number));
const modelVariables = {
  MODEL_TIMEOUT_MS: timeoutMs.default(60_000),
  MODEL_JSON_SCHEMA: oneOf("true", "false").default("true"),
  WEBSITE_ANALYSIS_VISITOR_TOKENS_PER_DAY: wholeNumber({ least: 1, most: 1_000_000_000 }).default(500_000),
  WEBSITE_ANALYSIS_VISITOR_DOLLARS_PER_DAY: text("must be an amount of US dollars, such as 0.50", isAmount)
    .transform(Number)
    .default(1),
  MODEL_INPUT_USD_PER_MILLION: price,
  MODEL_OUTPUT_USD_PER_MILLION: price,
};

const modelName = text("must be the name of the model to ask");
const modelAddress = webAddress("http://127.0.0.1:11434/v1");
const providerVariables: Record<
  ModelProvider,
  { MODEL_NAME: z.ZodType<string>; MODEL_BASE_URL: z.ZodType<string | null> }
> = {
  // The small models: seven questions about a page need no more.
  openai: { MODEL_NAME: modelName.default("gpt-5-mini"), MODEL_BASE_URL: orNull(modelAddress) },
  google: { MODEL_NAME: modelName.default("gemini-2.5-flash"), MODEL_BASE_URL: orNull(modelAddress) },
  "openai-compatible": { MODEL_NAME: modelName, MODEL_BASE_URL: modelAddress },
};
const keyNames: Record<ModelProvider, string | null> = {
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  // A server of one's own often has none.
  "openai-compatible": null,
};

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readWebsiteAnalysisConfig(env: Environment): WebsiteAnalysisConfig {
  const read = readEnvironment(env, variables);
  return {
    allow: read.WEBSITE_ANALYSIS_ALLOW,
    fetchTimeoutMs: read.WEBSITE_ANALYSIS_FETCH_TIMEOUT_MS,
    hostIntervalMs: read.WEBSITE_ANALYSIS_HOST_INTERVAL_MS,
    databaseUrl: read.DATABASE_URL,
    port: read.WEBSITE_ANALYSIS_PORT,
    worksInServer: read.WEBSITE_ANALYSIS_WORKER === "in-server",
    secret: read.WEBSITE_ANALYSIS_SECRET,
    visitorLimits: {
      atOnce: read.WEBSITE_ANALYSIS_VISITOR_AT_ONCE,
      perHour: read.WEBSITE_ANALYSIS_VISITOR_PER_HOUR,
    },
    maxPending: read.WEBSITE_ANALYSIS_MAX_PENDING,
    tokenBudget: read.WEBSITE_ANALYSIS_TOKEN_BUDGET,
    model: readModel(env),
  };
}

function readModel(env: Environment): ModelConfig | null {
  const provider = readProvider(env);
  if (provider === "local") return null;
  const read = readEnvironment(env, { ...providerVariables[provider], ...modelVariables });
  return {
    provider,
    name: read.MODEL_NAME,
    apiKey: readKey(env, provider),
    baseUrl: read.MODEL_BASE_URL,
    timeoutMs: read.MODEL_TIMEOUT_MS,
    hasJsonSchema: read.MODEL_JSON_SCHEMA === "true",
    perVisitorDay: {
      tokens: read.WEBSITE_ANALYSIS_VISITOR_TOKENS_PER_DAY,
      dollars: read.WEBSITE_ANALYSIS_VISITOR_DOLLARS_PER_DAY,
    },
    prices: pricesOf(read.MODEL_INPUT_USD_PER_MILLION, read.MODEL_OUTPUT_USD_PER_MILLION),
  };
}

/** The one that is named; otherwise the one whose address or key is set. */
function readProvider(env: Environment): ModelProvider | "local" {
  const { MODEL_PROVIDER: named } = readEnvironment(env, {
    MODEL_PROVIDER: orNull(oneOf(...providers, "local")),
  });
  if (named !== null) return named;
  if (env.MODEL_BASE_URL) return "openai-compatible";
  if (env.OPENAI_API_KEY) return "openai";
  return env.GOOGLE_GENERATIVE_AI_API_KEY ? "google" : "local";
}

function readKey(env: Environment, provider: ModelProvider): string | null {
  const keyName = keyNames[provider];
  if (env.MODEL_API_KEY) return env.MODEL_API_KEY;
  if (keyName === null) return null;
  const key = secret(`must be set for MODEL_PROVIDER=${provider}, unless MODEL_API_KEY is`);
  return readEnvironment(env, { [keyName]: key })[keyName] ?? null;
}

function pricesOf(
  inputUsdPerMillion: number | null,
  outputUsdPerMillion: number | null,
): ModelConfig["prices"] {
  if (inputUsdPerMillion === null && outputUsdPerMillion === null) return null;
  if (inputUsdPerMillion === null || outputUsdPerMillion === null) {
    throw new EnvironmentError(
      "The environment variables MODEL_INPUT_USD_PER_MILLION and MODEL_OUTPUT_USD_PER_MILLION must be set together; only one of them is.",
    );
  }
  return { inputUsdPerMillion, outputUsdPerMillion };
}
