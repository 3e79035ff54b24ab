import type { StageContext } from "lockstep";
import type { AnalystLabel, TokenUsage } from "../services/asking/analyst.ts";
import { type QuestionId, questionIds } from "../services/asking/questions.ts";
import type { WebsiteAnalysisPayload } from "../website-analysis-payload.ts";
import type { QuestionAnswer } from "./model-analysis.ts";
import type { Site } from "./website-analysis.ts";

/** What a person gets for an address. */
export interface WebsiteAnalysis {
  readonly url: string;
  readonly title: string | null;
  readonly analysedBy: AnalystLabel;
  readonly answers: readonly QuestionAnswer[];
  readonly usage: TokenUsage;
}

type Answers = Readonly<Record<QuestionId, QuestionAnswer | null>>;
type Context = StageContext<WebsiteAnalysisPayload, Answers, { "website-analysis": Site }>;

/** Puts the answers together, in the order of the questions, with what they cost in all. */
export function reportFormingStage(analysedBy: AnalystLabel) {
  return ({ output, outputs }: Pick<Context, "output" | "outputs">): WebsiteAnalysis => {
    const { url, facts } = outputs["website-analysis"];
    const answers = questionIds.flatMap((question) => output[question] ?? []);
    return { url, title: facts.title, analysedBy, answers, usage: totalOf(answers) };
  };
}

function totalOf(answers: readonly QuestionAnswer[]): TokenUsage {
  const usages = answers.map(({ usage }) => usage);
  const costs = usages.map(({ costUsd }) => costUsd);
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}
