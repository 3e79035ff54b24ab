import { wordsOf } from "../facts/words-of.ts";
import type { KeyPhrase } from "./key-phrases.ts";
import { sentencesOf } from "./sentences-of.ts";

/** The sentences that hold most of the key phrases for their length, early ones first among equals, in their own order. */
export function summarySentences(
  text: string,
  phrases: readonly KeyPhrase[],
  { most }: { most: number },
): string[] {
  const sentences = [...new Set(sentencesOf(text))];
  const scored = sentences.map((sentence, place) => {
    const lower = sentence.toLowerCase();
    const held = phrases.reduce((sum, { phrase, score }) => sum + (lower.includes(phrase) ? score : 0), 0);
    // Writers say first what the page is about.
    const early = 1 + 0.5 * (1 - place / sentences.length);
    return { sentence, place, score: (held * early) / Math.sqrt(wordsOf(sentence).length + 8) };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, most)
    .sort((a, b) => a.place - b.place)
    .map(({ sentence }) => sentence);
}
