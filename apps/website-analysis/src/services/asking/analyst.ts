import type { Budget, StageContext } from "lockstep";
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
  /** What its answers count against; none if they cost nothing. */
  readonly budgets: readonly Budget[];
  /** What an answer will cost at most, by the name of the budget. */
  estimate(prompt: Prompt): Readonly<Record<string, number>>;
  /** Writes the words of the answer to the job's stream "answer" while it comes. One that costs something is kept with the job. */
  answer(
    prompt: Prompt,
    site: { readonly url: string; readonly facts: PageFacts },
    context: AskingContext,
  ): Promise<Answered>;
}

/** What an analyst needs of the job that asks. */
export type AskingContext = Pick<StageContext, "jobId" | "once" | "stream" | "log" | "signal">;

/** The stream of a question's job that has the words of its answer. */
export const answerStream = "answer";

export type AnalystLabel =
  | { readonly kind: "model"; readonly provider: string; readonly model: string }
  | { readonly kind: "local"; readonly note: string };
