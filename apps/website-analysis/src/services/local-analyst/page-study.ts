import type { PageFacts } from "../facts/page-facts.ts";
import { type KeyPhrase, keyPhrases } from "./key-phrases.ts";
import { type ReadabilityScores, readabilityScores } from "./readability-scores.ts";
import { type SeoFinding, seoFindings } from "./seo-findings.ts";
import { summarySentences } from "./summary-sentences.ts";
import { type ToneMarks, toneMarks } from "./tone-marks.ts";

/** What the local analyst knows of a page when it answers. */
export interface PageStudy {
  readonly facts: PageFacts;
  readonly phrases: readonly KeyPhrase[];
  readonly summary: readonly string[];
  readonly readability: ReadabilityScores | null;
  readonly tone: ToneMarks;
  readonly findings: readonly SeoFinding[];
}

export function pageStudy(facts: PageFacts): PageStudy {
  const { mainText: text, language, title, description, headings } = facts;
  const weighted = [title ?? "", description ?? "", ...headings.slice(0, 30).map((heading) => heading.text)];
  const phrases = keyPhrases({ text, weighted, language }, 12);
  return {
    facts,
    phrases,
    summary: summarySentences(text, phrases, { most: 3 }),
    readability: readabilityScores(text),
    tone: toneMarks(text),
    findings: seoFindings(facts),
  };
}
