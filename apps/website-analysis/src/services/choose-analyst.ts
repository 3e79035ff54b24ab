import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import type { ModelConfig } from "../website-analysis-config.ts";
import type { Analyst } from "./analyst.ts";
import { LocalAnalyst } from "./local-analyst/local-analyst.ts";
import { ModelAnalyst } from "./model-analyst.ts";

/** The model that the configuration names; without one, the analyst that needs none. */
export function chooseAnalyst(config: ModelConfig | null): Analyst {
  if (config === null) return new LocalAnalyst();
  const { provider, name, timeoutMs, prices } = config;
  return new ModelAnalyst({ model: modelOf(config), provider, name, timeoutMs, prices });
}

function modelOf({ provider, name, apiKey, baseUrl, hasJsonSchema }: ModelConfig): LanguageModel {
  const key = apiKey === null ? {} : { apiKey };
  const base = baseUrl === null ? {} : { baseURL: baseUrl };
  switch (provider) {
    case "openai":
      // Not the responses interface, which OpenAI alone speaks: proxies in front of it know this one.
      return createOpenAI({ ...key, ...base }).chat(name);
    case "google":
      return createGoogleGenerativeAI({ ...key, ...base })(name);
    case "openai-compatible":
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl ?? "",
        ...key,
        supportsStructuredOutputs: hasJsonSchema,
      })(name);
  }
}
