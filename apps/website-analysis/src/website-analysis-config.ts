import { type Environment, environmentError, wholeNumber } from "@lockstep/app-kit";

/** All that the app can be told, read from the environment once. */
export interface WebsiteAnalysisConfig {
  /** Private addresses that may be read all the same. */
  readonly allow: readonly string[];
  readonly fetchTimeoutMs: number;
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
}

const providers = ["openai", "google", "openai-compatible"] as const;
export type ModelProvider = (typeof providers)[number];

/** A wrong value is refused with the name of its variable; an empty one counts as not set. */
export function readWebsiteAnalysisConfig(env: Environment): WebsiteAnalysisConfig {
  return {
    allow: (env.WEBSITE_ANALYSIS_ALLOW ?? "").split(/[\s,]+/).filter((entry) => entry !== ""),
    fetchTimeoutMs: wholeNumber(env, "WEBSITE_ANALYSIS_FETCH_TIMEOUT_MS", 10_000, {
      least: 100,
      most: 120_000,
    }),
    tokenBudget: wholeNumber(env, "WEBSITE_ANALYSIS_TOKEN_BUDGET", 3_000, { least: 300, most: 100_000 }),
    model: readModel(env),
  };
}

function readModel(env: Environment): ModelConfig | null {
  const provider = providerOf(env);
  if (provider === "local") return null;
  const name = env.MODEL_NAME || defaultModels[provider];
  if (!name) throw environmentError("MODEL_NAME", `must say which model of the ${provider} server to ask.`);
  const baseUrl = env.MODEL_BASE_URL || null;
  if (baseUrl !== null && !/^https?:\/\//.test(baseUrl)) {
    throw environmentError("MODEL_BASE_URL", "must be an address such as http://127.0.0.1:11434/v1.");
  }
  if (provider === "openai-compatible" && baseUrl === null) {
    throw environmentError("MODEL_BASE_URL", "must be set for MODEL_PROVIDER=openai-compatible.");
  }
  const keyName = keyNames[provider];
  const apiKey = env.MODEL_API_KEY || (keyName && env[keyName]) || null;
  if (keyName !== null && apiKey === null) {
    throw environmentError(
      keyName,
      `must be set for MODEL_PROVIDER=${provider}, or MODEL_API_KEY in its place.`,
    );
  }
  return {
    provider,
    name,
    apiKey,
    baseUrl,
    timeoutMs: wholeNumber(env, "MODEL_TIMEOUT_MS", 60_000, { least: 100, most: 600_000 }),
    hasJsonSchema: env.MODEL_JSON_SCHEMA !== "false",
    prices: readPrices(env),
  };
}

// The small ones: seven questions about a page need no more.
const defaultModels: Record<ModelProvider, string | null> = {
  openai: "gpt-5-mini",
  google: "gemini-2.5-flash",
  "openai-compatible": null,
};
const keyNames: Record<ModelProvider, string | null> = {
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
  // A server of one's own often has none.
  "openai-compatible": null,
};

/** As it is told; else by what is there. */
function providerOf(env: Environment): ModelProvider | "local" {
  const told = env.MODEL_PROVIDER;
  if (told) {
    const known = [...providers, "local" as const].find((provider) => provider === told);
    if (known !== undefined) return known;
    throw environmentError(
      "MODEL_PROVIDER",
      `must be ${providers.join(", ")} or local, not "${told.slice(0, 40)}".`,
    );
  }
  if (env.MODEL_BASE_URL) return "openai-compatible";
  if (env.OPENAI_API_KEY) return "openai";
  return env.GOOGLE_GENERATIVE_AI_API_KEY ? "google" : "local";
}

function readPrices(env: Environment): ModelConfig["prices"] {
  const inputUsdPerMillion = price(env, "MODEL_INPUT_USD_PER_MILLION");
  const outputUsdPerMillion = price(env, "MODEL_OUTPUT_USD_PER_MILLION");
  if (inputUsdPerMillion === null && outputUsdPerMillion === null) return null;
  if (inputUsdPerMillion === null || outputUsdPerMillion === null) {
    throw environmentError(
      "MODEL_INPUT_USD_PER_MILLION",
      "and MODEL_OUTPUT_USD_PER_MILLION must be set together.",
    );
  }
  return { inputUsdPerMillion, outputUsdPerMillion };
}

function price(env: Environment, name: string): number | null {
  const text = env[name];
  if (!text) return null;
  const value = Number(text);
  if (!(value >= 0)) throw environmentError(name, `must be a number of dollars, not "${text.slice(0, 40)}".`);
  return value;
}
