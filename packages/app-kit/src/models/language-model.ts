import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";

/** Where a model is, and how it is asked. */
export interface ModelAddress {
  readonly provider: "openai" | "google" | "openai-compatible";
  readonly name: string;
  /** Null: a server of one's own often has none. */
  readonly apiKey: string | null;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  /** Whether an OpenAI-compatible server knows JSON schemas; true by default. */
  readonly hasJsonSchema?: boolean;
}

export function languageModel({
  provider,
  name,
  apiKey,
  baseUrl,
  hasJsonSchema = true,
}: ModelAddress): LanguageModel {
  const key = apiKey === null ? {} : { apiKey };
  const base = baseUrl === null ? {} : { baseURL: baseUrl };
  switch (provider) {
    case "openai":
      // Not the responses interface, which only OpenAI has: proxies in front of it know this one.
      return createOpenAI({ ...key, ...base }).chat(name);
    case "google":
      return createGoogleGenerativeAI({ ...key, ...base })(name);
    case "openai-compatible":
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl ?? "",
        ...key,
        // Where an answer is streamed, it is told only when asked for.
        includeUsage: true,
        supportsStructuredOutputs: hasJsonSchema,
      })(name);
  }
}
