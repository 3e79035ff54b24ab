import type { PageFacts } from "../facts/page-facts.ts";
import type { LanguageWords } from "./languages/language-words.ts";
import { evidenceOf, type Statement } from "./statement.ts";

const fewWordsBefore = 3;

/** For whom the page says it is: people it names after a "for", never things. */
export function audience({ title, description, blocks }: PageFacts, words: LanguageWords): Statement[] {
  const texts = [
    ...[title ?? "", description ?? ""].map((text) => ({ text, isProminent: true })),
    ...blocks
      .filter(({ isAround, kind }) => !isAround && kind !== "quote")
      .map(({ text, kind }) => ({ text, isProminent: kind === "heading" })),
  ];
  const found = new Map<string, Statement & { places: number }>();
  for (const { text, isProminent } of texts) {
    for (const { who, sentence } of namedIn(text, words)) {
      const id = who.toLowerCase();
      const places = (found.get(id)?.places ?? 0) + (isProminent ? 2 : 1);
      const known = found.get(id) ?? { id, text: who, evidence: evidenceOf(sentence) };
      found.set(id, { ...known, places, confidence: places > 1 ? "high" : "medium" });
    }
  }
  return [...found.values()]
    .sort((a, b) => b.places - a.places)
    .slice(0, 8)
    .map(({ places: _places, ...statement }) => statement);
}

function namedIn(text: string, words: LanguageWords): { who: string; sentence: string }[] {
  const { forWhom, articles, people, peopleBefore, peopleAfter, and, not } = words;
  const before = peopleBefore === "" ? "" : `(?:(?:${peopleBefore})\\s+)?`;
  const after = peopleAfter === "" ? "" : `(?:\\s+(?:${peopleAfter})(?![\\p{L}]))?`;
  const who = `(?:(?:${articles})\\s*)?(?:${forWhom}\\s+)?(?:(?:${articles})(?:\\s+|(?<=')))?(${before}(?:${people})(?![\\p{L}-])${after})`;
  const naming = new RegExp(
    `(?<![\\p{L}])(?:${forWhom})\\s+${who}(?:(?:\\s*,\\s*|\\s+(?:${and})\\s+)${who})?(?:(?:\\s*,\\s*|\\s+(?:${and})\\s+)${who})?`,
    "giu",
  );
  return text.split(/(?<=[.!?])\s+/u).flatMap((sentence) =>
    [...sentence.matchAll(naming)].flatMap((match) => {
      const wordsBefore = sentence.slice(0, match.index).trim().split(/\s+/).slice(-fewWordsBefore).join(" ");
      if (new RegExp(`(?<![\\p{L}])(?:${not})(?![\\p{L}])`, "iu").test(wordsBefore)) return [];
      return match
        .slice(1)
        .filter((named) => named !== undefined)
        .map((named) => ({ who: named.trim(), sentence }));
    }),
  );
}
