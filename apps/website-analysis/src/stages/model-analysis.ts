import type { StageContext, StageOptions } from "lockstep";
import type { AnalysisAnswer } from "../services/asking/analysis-answer.ts";
import type { Analyst, AskingContext, TokenUsage } from "../services/asking/analyst.ts";
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
type Spends = Readonly<Record<string, (context: Pick<Context, "output">) => number>>;
type Ask = (context: Pick<Context, "output" | "outputs"> & AskingContext) => Promise<QuestionAnswer | null>;

/** A branch for each question: one that has to be asked again holds up no other, and those that were answered are kept. */
export function questionBranches(
  analyst: Analyst,
  options: StageOptions,
): Readonly<Record<QuestionId, readonly [StageOptions & { readonly spends: Spends }, Ask]>> {
  const branches = questionIds.map((question) => [
    question,
    [{ ...options, spends: spending(analyst, question) }, asking(analyst, question)],
  ]);
  return Object.fromEntries(branches);
}

/** What a question will cost at most; nothing if it is not asked. */
function spending(analyst: Analyst, question: QuestionId): Spends {
  const estimates = analyst.budgets.map(({ name }) => [
    name,
    ({ output }: Pick<Context, "output">) => {
      const prompt = output.find((one) => one.question === question);
      return prompt === undefined ? 0 : (analyst.estimate(prompt)[name] ?? 0);
    },
  ]);
  return Object.fromEntries(estimates);
}

/** Null: the job is not to ask this question. */
function asking(analyst: Analyst, question: QuestionId): Ask {
  return async (context) => {
    const prompt = context.output.find((one) => one.question === question);
    if (prompt === undefined) return null;
    const { answer, model, usage } = await analyst.answer(
      prompt,
      context.outputs["website-analysis"],
      context,
    );
    return { question, promptVersion: prompt.version, ...answer, model, usage };
  };
}
