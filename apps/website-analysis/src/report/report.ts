import type { Job } from "lockstep";
import type { AnalysisAnswer } from "../services/asking/analysis-answer.ts";
import type { AnalystLabel, TokenUsage } from "../services/asking/analyst.ts";
import type { QuestionId } from "../services/asking/questions.ts";
import { type LinkedThing, linkedThings } from "../services/facts/linked-things.ts";
import type { PageLinks } from "../services/facts/page-links.ts";
import type { TechnologyHint } from "../services/facts/technology-hints.ts";
import type { WebsiteAnalysis } from "../stages/report-forming.ts";
import type { Site } from "../stages/website-analysis.ts";

/** An analysis as people read it. */
export interface Report {
  /** Where the redirects ended. */
  readonly url: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly finishedAt: string;
  readonly analysedBy: AnalystLabel;
  readonly usage: TokenUsage;
  readonly answers: Readonly<Partial<Record<QuestionId, AnalysisAnswer>>>;
  readonly things: readonly LinkedThing[];
  readonly technologies: readonly TechnologyHint[];
  readonly links: PageLinks;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly wordCount: number;
  readonly sizeBytes: number;
  readonly redirects: readonly string[];
  /** The beginning of the page's text. */
  readonly preview: string;
  readonly isPreviewCut: boolean;
  readonly isScriptShell: boolean;
}

const previewCharacters = 4_000;

/** Null as long as the job is not completed. */
export function reportOf(job: Pick<Job, "status" | "outputs" | "result" | "finishedAt">): Report | null {
  const site = job.outputs["website-analysis"] as Site | undefined;
  const analysis = job.result as WebsiteAnalysis | null;
  if (job.status !== "completed" || site === undefined || analysis === null) return null;
  const { facts, url, redirects, sizeBytes } = site;
  const { title, description, language, links, technologies, mainText, isScriptShell } = facts;
  return {
    ...{ url, redirects, sizeBytes, title, description, language, links, technologies, isScriptShell },
    finishedAt: (job.finishedAt ?? new Date(0)).toISOString(),
    analysedBy: analysis.analysedBy,
    usage: analysis.usage,
    answers: Object.fromEntries(
      analysis.answers.map(({ question, summary, points, confidence }) => [
        question,
        { summary, points, confidence },
      ]),
    ),
    things: linkedThings(facts.structuredData.jsonLd),
    headings: facts.headings.slice(0, 60),
    wordCount: facts.wordCounts.page,
    preview: mainText.slice(0, previewCharacters).toWellFormed(),
    isPreviewCut: mainText.length > previewCharacters,
  };
}
