import type { LanguageModelUsage } from "ai";

/** The tokens that one call has used; 0 where the provider does not say. */
export interface ModelUsage {
  readonly inputTokens: number;
  /** Those of the input that the provider had in its cache: most ask less for them. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Those of the output that the model spent on reasoning. */
  readonly reasoningTokens: number;
  readonly totalTokens: number;
}

/** Of all steps of a call, as the AI SDK tells it. */
export function modelUsageOf(usage: LanguageModelUsage): ModelUsage {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return {
    inputTokens,
    // Models of an older specification have no details.
    cachedInputTokens: usage.inputTokenDetails?.cacheReadTokens ?? 0,
    outputTokens,
    reasoningTokens: usage.outputTokenDetails?.reasoningTokens ?? 0,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
  };
}
