import type { StageContext, StageOptions } from "lockstep";
import type { AnalysisAnswer } from "../services/asking/analysis-answer.ts";
import type { Analyst, TokenUsage } from "../services/asking/analyst.ts";
import type { Prompt } from "../services/asking/form-prompts.ts";
import { type QuestionId, questionIds } from "../services/asking/questions.ts";
import type { WebsiteAnalysisPayload } from "../website-analysis-payload.ts";
import type { Site } from "./website-analysis.ts";

/** What one question was answered, by whom and at which price. */
export interface QuestionAnswer extends AnalysisAnswer {
  readonly question: QuestionId;
  readonly promptVersion: number;
  readonly model: string;
  readonly usage: TokenUsage;
}

type Context = StageContext<WebsiteAnalysisPayload, Prompt[], { "website-analysis": Site }>;
type Ask = (
  context: Pick<Context, "output" | "outputs" | "once" | "signal">,
) => Promise<QuestionAnswer | null>;

/** A branch for each question: one that has to be asked again holds up no other, and those that were answered are kept. */
export function questionBranches(
  analyst: Analyst,
  options: StageOptions,
): Readonly<Record<QuestionId, readonly [StageOptions, Ask]>> {
  const branches = questionIds.map((question) => [question, [options, asking(analyst, question)]]);
  return Object.fromEntries(branches);
}

/** Null: the job is not to ask this question. */
function asking(analyst: Analyst, question: QuestionId): Ask {
  return async ({ output: prompts, outputs, once, signal }) => {
    const prompt = prompts.find((one) => one.question === question);
    if (prompt === undefined) return null;
    const site = outputs["website-analysis"];
    const { answer, model, usage } = analyst.isPaid
      ? await once(`ask ${question}@${prompt.version}`, (call) => analyst.answer(prompt, site, call))
      : await analyst.answer(prompt, site, { signal, idempotencyKey: null });
    return { question, promptVersion: prompt.version, ...answer, model, usage };
  };
}
