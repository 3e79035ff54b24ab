import { counted } from "../../report/counted.ts";
import { linkedTypes } from "../facts/linked-things.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import { evidenceOf } from "./statement.ts";

export interface SeoFinding {
  readonly isGood: boolean;
  readonly text: string;
  /** What the page has in the place that was looked at, quoted; or that it has nothing. */
  readonly evidence: string;
  /** Whether it troubles people too, not only search engines. */
  readonly isForPeople: boolean;
}

/** Each rule looks at one thing a search engine looks at, and says what is so and what to do. */
const rules: readonly ((facts: PageFacts) => SeoFinding | null)[] = [
  ({ title }) => {
    if (title === null)
      return forPeople(bad("The page has no title: give it one of 20 to 60 characters.", "no <title>"));
    const length = [...title].length;
    return length >= 20 && length <= 60
      ? good(`The title has a good length (${counted(length, "character")}).`, quoted(title))
      : bad(`The title has ${counted(length, "character")}; 20 to 60 are shown whole.`, quoted(title));
  },
  ({ description }) => {
    if (description === null)
      return bad(
        "There is no meta description: search engines will pick a text by chance.",
        'no <meta name="description">',
      );
    const length = [...description].length;
    return length >= 70 && length <= 160
      ? good(`The description has a good length (${counted(length, "character")}).`, quoted(description))
      : bad(
          `The description has ${counted(length, "character")}; 70 to 160 are shown whole.`,
          quoted(description),
        );
  },
  ({ headings }) => {
    const main = headings.filter(({ level }) => level === 1).map(({ text }) => text);
    if (main.length === 1) return good("There is exactly one main heading.", `<h1> ${quoted(main[0] ?? "")}`);
    return main.length === 0
      ? forPeople(bad("There is no main heading (h1).", firstHeading(headings)))
      : bad(
          `There are ${main.length} main headings (h1); one is enough.`,
          main.slice(0, 3).map(quoted).join(", "),
        );
  },
  ({ headings }) => {
    const at = headings.findIndex(({ level }, place) => level > (headings[place - 1]?.level ?? level) + 1);
    const [before, skipped] = [headings[at - 1], headings[at]];
    if (before === undefined || skipped === undefined) return null;
    const evidence = `<h${before.level}> ${quoted(before.text)}, then <h${skipped.level}> ${quoted(skipped.text)}`;
    return bad(`The heading "${skipped.text.slice(0, 60)}" skips a level.`, evidence);
  },
  ({ wordCounts: { main }, mainText }) =>
    main >= 300
      ? good(`There is enough text to be found by (${counted(main, "word")}).`, quoted(mainText.slice(0, 80)))
      : bad(
          `The main text has only ${counted(main, "word")}; pages with at least 300 are found more often.`,
          mainText === "" ? "no text" : quoted(mainText.slice(0, 80)),
        ),
  ({ isHiddenFromSearch }) =>
    isHiddenFromSearch ? bad("The page asks search engines to leave it out.", "noindex") : null,
  ({ isScriptShell, wordCounts }) =>
    isScriptShell
      ? bad(
          "Without scripts the page is nearly empty: render it on the server to have it read.",
          `${counted(wordCounts.page, "word")} beside its scripts`,
        )
      : null,
  ({ language }) =>
    language === null
      ? forPeople(
          bad(
            "The page does not declare its language, so that screen readers guess it.",
            "<html> without lang",
          ),
        )
      : good("The language is declared.", `lang="${language}"`),
  ({ canonicalUrl }) =>
    canonicalUrl === null
      ? bad("There is no canonical address.", 'no <link rel="canonical">')
      : good("A canonical address is given.", canonicalUrl),
  ({ images: { count, withoutAlt } }) => {
    if (count === 0) return null;
    return withoutAlt === 0
      ? good(`All ${count} images have an alternative text.`, `${count} <img> with alt`)
      : forPeople(
          bad(
            `${withoutAlt} of ${count} images have no alternative text.`,
            `${withoutAlt} <img> without alt`,
          ),
        );
  },
  ({ structuredData: { jsonLd, unreadableBlocks } }) => {
    const types = linkedTypes(jsonLd).filter(Boolean).slice(0, 5).join(", ");
    if (jsonLd.length > 0)
      return good("The page has structured data (JSON-LD).", types || "JSON-LD without a type");
    return unreadableBlocks > 0
      ? bad(
          "Its structured data cannot be read.",
          `${unreadableBlocks} blocks of JSON-LD that are no JSON, or too large`,
        )
      : bad("There is no structured data (JSON-LD).", 'no <script type="application/ld+json">');
  },
  ({ structuredData: { openGraph } }) => {
    const names = Object.keys(openGraph).slice(0, 6).join(", ");
    return names === ""
      ? bad("There is no Open Graph data for sharing.", 'no <meta property="og:…">')
      : good("The page says how it is to be shown when shared (Open Graph).", names);
  },
  ({ hasViewport }) =>
    hasViewport ? null : forPeople(bad("Phones are not told how wide it is.", 'no <meta name="viewport">')),
  ({ links: { internal, external } }) =>
    internal > 0
      ? null
      : bad("No link leads to another page of the site.", `0 links within the site, ${external} to others`),
];

export function seoFindings(facts: PageFacts): SeoFinding[] {
  return rules.map((rule) => rule(facts)).filter((finding) => finding !== null);
}

function firstHeading(headings: PageFacts["headings"]): string {
  const [first] = headings;
  return first === undefined
    ? "no headings at all"
    : `the first one is <h${first.level}> ${quoted(first.text)}`;
}

function quoted(text: string): string {
  return `“${text}”`;
}

function good(text: string, evidence: string): SeoFinding {
  return { isGood: true, text, evidence: evidenceOf(evidence), isForPeople: false };
}

function bad(text: string, evidence: string): SeoFinding {
  return { isGood: false, text, evidence: evidenceOf(evidence), isForPeople: false };
}

function forPeople(finding: SeoFinding): SeoFinding {
  return { ...finding, isForPeople: true };
}
