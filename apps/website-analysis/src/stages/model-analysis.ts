import { createHash } from "node:crypto";
import type { StageContext } from "lockstep";
import type { AnalysisAnswer } from "../services/asking/analysis-answer.ts";
import type { Analyst, AnalystLabel, Answered, TokenUsage } from "../services/asking/analyst.ts";
import type { Prompt } from "../services/asking/form-prompts.ts";
import type { QuestionId } from "../services/asking/questions.ts";
import type { WebsiteAnalysisPayload } from "../website-analysis-payload.ts";
import type { Site } from "./website-analysis.ts";

/** What a person gets for an address. */
export interface WebsiteAnalysis {
  readonly url: string;
  readonly title: string | null;
  readonly analysedBy: AnalystLabel;
  readonly answers: readonly (AnalysisAnswer & {
    readonly question: QuestionId;
    readonly promptVersion: number;
    readonly model: string;
    readonly usage: TokenUsage;
  })[];
  readonly usage: TokenUsage;
}

type Context = StageContext<WebsiteAnalysisPayload, Prompt[], { "website-analysis": Site }>;

/** Asks the questions one after the other; what an earlier try was answered is not asked again. */
export function modelAnalysisStage(analyst: Analyst) {
  return async ({
    output: prompts,
    outputs,
    once,
    progress,
    signal,
  }: Pick<Context, "output" | "outputs" | "once" | "progress" | "signal">): Promise<WebsiteAnalysis> => {
    const site = outputs["website-analysis"];
    const ask = (prompt: Prompt): Promise<Answered> =>
      analyst.isPaid
        ? once(effectKey(prompt), (call) => analyst.answer(prompt, site, call))
        : analyst.answer(prompt, site, { signal, idempotencyKey: null });
    const answered: Answered[] = [];
    for (const [index, prompt] of prompts.entries()) {
      progress((100 * index) / prompts.length, `asking: ${prompt.question}`);
      answered.push(await ask(prompt));
    }
    return {
      url: site.url,
      title: site.facts.title,
      analysedBy: analyst.label,
      answers: prompts.flatMap(({ question, version }, index) => {
        const one = answered[index];
        if (one === undefined) return [];
        return [{ question, promptVersion: version, ...one.answer, model: one.model, usage: one.usage }];
      }),
      usage: totalOf(answered),
    };
  };
}

/** By its words: a prompt that has changed since, because the page has, is another question. */
function effectKey({ question, version, system, text }: Prompt): string {
  const words = createHash("sha256").update(system).update("\0").update(text).digest("hex");
  return `ask ${question}@${version} ${words.slice(0, 16)}`;
}

function totalOf(answered: readonly Answered[]): TokenUsage {
  const usages = answered.map(({ usage }) => usage);
  const costs = usages.map(({ costUsd }) => costUsd);
  return {
    inputTokens: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}
