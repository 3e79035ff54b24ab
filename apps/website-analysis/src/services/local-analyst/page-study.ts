import type { PageFacts } from "../facts/page-facts.ts";
import { audience } from "./audience.ts";
import { competitorSearches } from "./competitor-searches.ts";
import { wordsOfLanguage } from "./languages/words-of-language.ts";
import { offers } from "./offers.ts";
import { type StrengthId, strengths, type WeaknessId, weaknesses } from "./page-marks.ts";
import { type SeoFinding, seoFindings } from "./seo-findings.ts";
import { type SiteKind, siteKind } from "./site-kind.ts";
import type { Statement } from "./statement.ts";
import { type ToneId, toneMarks } from "./tone-marks.ts";

/** What the local analyst can show of a page. Where it cannot, the list is empty. */
export interface PageStudy {
  readonly facts: PageFacts;
  readonly kind: SiteKind | null;
  readonly offers: readonly Statement[];
  readonly audience: readonly Statement[];
  readonly tone: readonly Statement<ToneId>[];
  readonly strengths: readonly Statement<StrengthId>[];
  readonly weaknesses: readonly Statement<WeaknessId>[];
  readonly searches: readonly Statement[];
  readonly findings: readonly SeoFinding[];
}

export function pageStudy(facts: PageFacts): PageStudy {
  const words = wordsOfLanguage(facts);
  const kind = siteKind(facts, words);
  const marks = weaknesses(facts, kind?.id ?? null);
  // Of a page that is empty, parked or not finished nothing else is worth saying.
  const isBlank = marks.some(({ id }) => id !== "no-contact");
  return {
    facts,
    kind: isBlank ? null : kind,
    offers: isBlank ? [] : offers(facts, words),
    audience: isBlank || words === null ? [] : audience(facts, words),
    tone: isBlank || words === null ? [] : toneMarks(facts, words),
    strengths: isBlank ? [] : strengths(facts, kind?.id ?? null),
    weaknesses: marks,
    searches: isBlank || words === null ? [] : competitorSearches(facts, words, kind),
    findings: seoFindings(facts),
  };
}
