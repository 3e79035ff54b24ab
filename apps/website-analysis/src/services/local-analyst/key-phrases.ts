import { wordsOf } from "../facts/words-of.ts";
import { stopWords } from "./stop-words.ts";

export interface KeyPhrase {
  readonly phrase: string;
  readonly score: number;
}

const longestPhrase = 3;
const mostWords = 20_000;
const fewRepeated = 5;

/**
 * Runs of words between stop words and marks, by how often they and their words occur. A phrase of several words weighs
 * more than its single ones, and what stands in title and headings counts several times.
 */
export function keyPhrases(
  { text, weighted, language }: { text: string; weighted: readonly string[]; language: string | null },
  most: number,
): KeyPhrase[] {
  const stop = stopWords(language);
  const counts = new Map<string, number>();
  for (const [part, weight] of [[text, 1], ...weighted.map((one) => [one, 3] as const)] as const) {
    for (const run of runsOf(part, stop)) {
      for (const phrase of phrasesOf(run)) counts.set(phrase, (counts.get(phrase) ?? 0) + weight);
    }
  }
  const repeated = [...counts].filter(([, count]) => count > 1);
  // A short page repeats little; then what it says once in several words must do.
  const candidates =
    repeated.length >= fewRepeated
      ? repeated
      : [...counts].filter(([phrase, count]) => count > 1 || phrase.includes(" "));
  const scored = candidates
    .map(([phrase, count]) => ({ phrase, score: count * phrase.split(" ").length ** 1.5 }))
    .sort((a, b) => b.score - a.score || (a.phrase < b.phrase ? -1 : 1));
  return withoutParts(scored, most);
}

function runsOf(text: string, stop: ReadonlySet<string>): string[][] {
  const runs: string[][] = [];
  let words = 0;
  for (const clause of text.toLowerCase().split(/[\n.,;:!?()[\]{}"“”«»|/–—]+/)) {
    let run: string[] = [];
    for (const word of wordsOf(clause)) {
      words += 1;
      if (stop.has(word) || !/\p{L}{2}/u.test(word)) {
        runs.push(run);
        run = [];
      } else run.push(word);
    }
    runs.push(run);
    if (words > mostWords) break;
  }
  return runs.filter((run) => run.length > 0);
}

function phrasesOf(run: readonly string[]): string[] {
  const phrases: string[] = [];
  for (let from = 0; from < run.length; from += 1) {
    for (let length = 1; length <= longestPhrase && from + length <= run.length; length += 1) {
      phrases.push(run.slice(from, from + length).join(" "));
    }
  }
  return phrases;
}

/** "fresh bread" says what "bread" and "fresh" say, so it takes the place of either, and they do not come after it. */
function withoutParts(scored: readonly KeyPhrase[], most: number): KeyPhrase[] {
  let kept: KeyPhrase[] = [];
  for (const candidate of scored) {
    if (kept.length === most) break;
    const overlapping = kept.filter(
      ({ phrase }) => holds(phrase, candidate.phrase) || holds(candidate.phrase, phrase),
    );
    if (overlapping.length === 0) kept.push(candidate);
    else if (overlapping.every(({ phrase }) => !phrase.includes(" ") && phrase !== candidate.phrase)) {
      const [first] = overlapping;
      kept = kept
        .map((one) => (one === first ? candidate : one))
        .filter((one) => one === candidate || !overlapping.includes(one));
    }
  }
  return kept;
}

function holds(phrase: string, part: string): boolean {
  return ` ${phrase} `.includes(` ${part} `);
}
