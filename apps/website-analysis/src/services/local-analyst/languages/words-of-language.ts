import type { PageFacts } from "../../facts/page-facts.ts";
import { wordsOf } from "../../facts/words-of.ts";
import { stopWords } from "../stop-words.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { italian } from "./italian.ts";
import type { LanguageWords } from "./language-words.ts";
import { spanish } from "./spanish.ts";

const known: Readonly<Record<string, LanguageWords>> = {
  ...{ en: english, de: german, fr: french, es: spanish, it: italian },
};
const fewestWords = 20;
/** Of all words; a text in another language shares a few by chance. */
const leastShare = 0.2;

/** What is known of the page's language: of the one it declares, or else of the one it is clearly written in. Null: of none. */
export function wordsOfLanguage({
  language,
  mainText,
}: Pick<PageFacts, "language" | "mainText">): LanguageWords | null {
  if (language !== null) return known[language.split("-")[0] ?? ""] ?? null;
  const words = wordsOf(mainText.slice(0, 5_000).toLowerCase());
  if (words.length < fewestWords) return null;
  const shares = Object.keys(known).map((name) => {
    const stop = stopWords(name);
    return { name, share: words.filter((word) => stop.has(word)).length / words.length };
  });
  const [first] = shares.sort((a, b) => b.share - a.share);
  return first !== undefined && first.share >= leastShare ? (known[first.name] ?? null) : null;
}
