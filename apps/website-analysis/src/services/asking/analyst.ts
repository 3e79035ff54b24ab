import type { PageFacts } from "../facts/page-facts.ts";
import type { AnalysisAnswer } from "./analysis-answer.ts";
import type { Prompt } from "./form-prompts.ts";

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Null when the prices of the model are not known. */
  readonly costUsd: number | null;
}

export interface Answered {
  readonly answer: AnalysisAnswer;
  readonly model: string;
  readonly usage: TokenUsage;
}

/** Who answers the questions. */
export interface Analyst {
  /** What a result says of who made it. */
  readonly label: AnalystLabel;
  /** Whether an answer costs money or time elsewhere, so that it must not be asked for twice. */
  readonly isPaid: boolean;
  answer(
    prompt: Prompt,
    site: { readonly url: string; readonly facts: PageFacts },
    call: { readonly signal: AbortSignal; readonly idempotencyKey: string | null },
  ): Promise<Answered>;
}

export type AnalystLabel =
  | { readonly kind: "model"; readonly provider: string; readonly model: string }
  | { readonly kind: "local"; readonly note: string };
