import type { BoostedPage, Correction } from "../boosting/boosted-page.ts";
import type { PageText } from "../reading/page-text.ts";

/** Everything that was read, for programs. */
export interface ResultJson {
  readonly version: 1;
  readonly pageCount: number;
  /** The mean of the pages that have words, 0 to 100. */
  readonly confidence: number;
  readonly pages: readonly (PageText & {
    readonly boostedText: string;
    readonly boostedBy: BoostedPage["source"];
    readonly corrections: readonly Correction[];
    readonly note: string | null;
  })[];
}

export function resultJson(pages: readonly PageText[], boosted: readonly BoostedPage[]): ResultJson {
  const boostedPages = new Map(boosted.map((page) => [page.page, page]));
  const withWords = pages.filter(({ words }) => words.length > 0);
  const sum = withWords.reduce((total, { confidence }) => total + confidence, 0);
  return {
    version: 1,
    pageCount: pages.length,
    confidence: withWords.length === 0 ? 0 : Math.round((sum / withWords.length) * 100) / 100,
    pages: pages.map((page) => {
      const { text, source, corrections, note } = boostedPages.get(page.page) ?? unboosted(page);
      return { ...page, boostedText: text, boostedBy: source, corrections, note };
    }),
  };
}

function unboosted({ page, text }: PageText): BoostedPage {
  return { page, text, source: "local", corrections: [], note: null };
}
