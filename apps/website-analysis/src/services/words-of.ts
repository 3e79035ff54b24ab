const segmenters = new Map<string, Intl.Segmenter>();

/** The words of a text; by a dictionary where, as in Japanese, no spaces part them. */
export function wordsOf(text: string, language: string | null = null): string[] {
  return [...segmenterOf(language).segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

function segmenterOf(language: string | null): Intl.Segmenter {
  const locale = language ?? "en";
  const known = segmenters.get(locale);
  if (known !== undefined) return known;
  const made = newSegmenter(locale);
  // Pages write all sorts of things into their lang attribute.
  if (segmenters.size < 100) segmenters.set(locale, made);
  return made;
}

function newSegmenter(locale: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(locale, { granularity: "word" });
  } catch {
    return new Intl.Segmenter("en", { granularity: "word" });
  }
}
