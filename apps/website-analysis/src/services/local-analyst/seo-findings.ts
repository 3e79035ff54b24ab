import type { PageFacts } from "../facts/page-facts.ts";

export interface SeoFinding {
  readonly isGood: boolean;
  readonly text: string;
}

/** Each rule looks at one thing a search engine looks at, and says what is so and what to do. */
const rules: readonly ((facts: PageFacts) => SeoFinding | null)[] = [
  ({ title }) => {
    if (title === null) return bad("The page has no title: give it one of 20 to 60 characters.");
    const length = [...title].length;
    return length >= 20 && length <= 60
      ? good(`The title has a good length (${length} characters).`)
      : bad(`The title has ${length} characters; 20 to 60 are shown whole.`);
  },
  ({ description }) => {
    if (description === null)
      return bad("There is no meta description: search engines will pick a text by chance.");
    const length = [...description].length;
    return length >= 70 && length <= 160
      ? good(`The description has a good length (${length} characters).`)
      : bad(`The description has ${length} characters; 70 to 160 are shown whole.`);
  },
  ({ headings }) => {
    const count = headings.filter(({ level }) => level === 1).length;
    if (count === 1) return good("There is exactly one main heading.");
    return bad(
      count === 0
        ? "There is no main heading (h1)."
        : `There are ${count} main headings (h1); one is enough.`,
    );
  },
  ({ headings }) => {
    const skipped = headings.find(({ level }, place) => level > (headings[place - 1]?.level ?? level) + 1);
    return skipped === undefined ? null : bad(`The heading "${skipped.text.slice(0, 60)}" skips a level.`);
  },
  ({ wordCounts: { main } }) =>
    main >= 300
      ? good(`There is enough text to be found by (${main} words).`)
      : bad(`The main text has only ${main} words; pages with at least 300 are found more often.`),
  ({ isHiddenFromSearch }) =>
    isHiddenFromSearch ? bad("The page asks search engines to leave it out (noindex).") : null,
  ({ isScriptShell }) =>
    isScriptShell
      ? bad("Without scripts the page is nearly empty: render it on the server to have it read.")
      : null,
  ({ language }) =>
    language === null
      ? bad("The page does not declare its language (lang).")
      : good(`The language is declared (${language}).`),
  ({ canonicalUrl }) =>
    canonicalUrl === null ? bad("There is no canonical address.") : good("A canonical address is given."),
  ({ images: { count, withoutAlt } }) => {
    if (count === 0) return null;
    return withoutAlt === 0
      ? good(`All ${count} images have an alternative text.`)
      : bad(`${withoutAlt} of ${count} images have no alternative text.`);
  },
  ({ structuredData: { jsonLd } }) =>
    jsonLd.length > 0
      ? good("The page has structured data (JSON-LD).")
      : bad("There is no structured data (JSON-LD)."),
  ({ structuredData: { openGraph } }) =>
    Object.keys(openGraph).length > 0
      ? good("The page says how it is to be shown when shared (Open Graph).")
      : bad("There is no Open Graph data for sharing."),
  ({ hasViewport }) => (hasViewport ? null : bad("There is no viewport for phones.")),
  ({ links: { internal } }) => (internal > 0 ? null : bad("No link leads to another page of the site.")),
];

export function seoFindings(facts: PageFacts): SeoFinding[] {
  return rules.map((rule) => rule(facts)).filter((finding) => finding !== null);
}

function good(text: string): SeoFinding {
  return { isGood: true, text };
}

function bad(text: string): SeoFinding {
  return { isGood: false, text };
}
