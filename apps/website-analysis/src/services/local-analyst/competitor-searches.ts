import { linkedThings } from "../facts/linked-things.ts";
import type { PageFacts } from "../facts/page-facts.ts";
import type { LanguageWords } from "./languages/language-words.ts";
import type { SiteKind } from "./site-kind.ts";
import { evidenceOf, type Statement } from "./statement.ts";

/** What to search for to find competitors: what the site calls itself, and where it is. Without either, nothing. */
export function competitorSearches(
  facts: PageFacts,
  words: LanguageWords,
  kind: SiteKind | null,
): Statement[] {
  if (kind?.word == null || ["authority", "news", "blog", "software", "shop"].includes(kind.id)) return [];
  const place = placeOf(facts, words, kind);
  if (place === null) return [];
  const text = `${kind.word} ${place.name}`;
  return [
    { id: text.toLowerCase(), text, evidence: evidenceOf(place.evidence), confidence: place.confidence },
  ];
}

function placeOf(
  { structuredData, title, headings, description, blocks }: PageFacts,
  { inPlace, kinds }: LanguageWords,
  kind: SiteKind,
): { name: string; evidence: string; confidence: Statement["confidence"] } | null {
  const business = linkedThings(structuredData.jsonLd).find(
    (thing) => thing.kind === "business" && thing.locality,
  );
  if (business?.kind === "business" && business.locality !== null) {
    return { name: business.locality, evidence: `structured data: ${business.address}`, confidence: "high" };
  }
  const told = [title, headings[0]?.text, description, ...blocks.map(({ text }) => text)];
  const name = "(\\p{Lu}[\\p{L}'’-]+(?: (?:am|an der|sur|de|del|upon) \\p{Lu}[\\p{L}-]+)?)";
  const addressed = new RegExp(`\\b\\d{5} ${name}|, ${name} [A-Z]{1,2}\\d[\\dA-Z]?\\s?\\d[A-Z]{2}`, "u");
  const beside = new RegExp(`^(?: \\p{Lu}\\p{L}+| [\\p{Ll}]{4,})? (?:${inPlace}) ${name}`, "u");
  const kindWord = new RegExp(`(?<![\\p{L}])(?:${kinds[kind.id]})(?![\\p{L}])`, "iu");
  const afterKind = (text: string) => {
    const word = kindWord.exec(text);
    return word === null ? "" : text.slice(word.index + word[0].length);
  };
  for (const find of [
    (text: string) => addressed.exec(text),
    (text: string) => beside.exec(afterKind(text)),
  ]) {
    for (const text of told) {
      const [, first, second] = find(text ?? "") ?? [];
      const found = first ?? second;
      if (found !== undefined) return { name: found, evidence: text ?? "", confidence: "medium" };
    }
  }
  return null;
}
