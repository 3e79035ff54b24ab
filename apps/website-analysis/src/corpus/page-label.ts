import type { KindId } from "../services/local-analyst/kinds/site-kinds.ts";
import type { StrengthId, WeaknessId } from "../services/local-analyst/page-marks.ts";
import type { ToneId } from "../services/local-analyst/tone-marks.ts";

/**
 * What a reader finds true of a page. "a | b": either wording is right. "?a": right if it is said, but no loss if it is not.
 */
export interface PageLabel {
  readonly page: string;
  readonly kind: KindId | null;
  readonly offers: readonly string[];
  readonly audience: readonly string[];
  readonly tone: readonly (ToneId | `?${ToneId}`)[];
  readonly strengths: readonly StrengthId[];
  readonly weaknesses: readonly WeaknessId[];
  /** What to search for to find its competitors. */
  readonly searches: readonly string[];
}

/** Of a page of which nothing is to be said but this. */
export function nothingBut(label: Partial<PageLabel> & Pick<PageLabel, "page">): PageLabel {
  return {
    ...{ kind: null, offers: [], audience: [], tone: [], strengths: [], weaknesses: [], searches: [] },
    ...label,
  };
}
