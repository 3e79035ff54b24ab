import { type GiveUp, giveUp, type StageContext } from "lockstep";
import { formPrompts, type Prompt } from "../services/asking/form-prompts.ts";
import type { WebsiteAnalysisPayload } from "../website-analysis-payload.ts";
import type { Site } from "./website-analysis.ts";

/** Turns what was found into the questions to ask about it. */
export function promptFormingStage({ tokenBudget }: { tokenBudget: number }) {
  return ({
    payload,
    output: site,
  }: Pick<StageContext<WebsiteAnalysisPayload, Site>, "payload" | "output">): Prompt[] | GiveUp => {
    const { title, description, wordCounts, headings } = site.facts;
    const isEmpty = !title && !description && wordCounts.page === 0 && headings.length === 0;
    if (isEmpty) return giveUp(`${site.url} has no title and no text: there is nothing to ask about.`);
    return formPrompts(site.url, site.facts, { tokenBudget, only: payload.questions });
  };
}
