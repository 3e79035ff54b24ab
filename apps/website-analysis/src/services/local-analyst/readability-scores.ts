import { wordsOf } from "../facts/words-of.ts";
import { sentencesOf } from "./sentences-of.ts";

export interface ReadabilityScores {
  readonly sentences: number;
  readonly wordsPerSentence: number;
  readonly syllablesPerWord: number;
  /** Flesch reading ease, 0 (hard) to 100 (easy). Made for English; elsewhere a hint. */
  readonly readingEase: number;
  /** Flesch-Kincaid: years at school. */
  readonly gradeLevel: number;
}

/** Null when there are too few sentences to count. */
export function readabilityScores(text: string): ReadabilityScores | null {
  const sentences = sentencesOf(text);
  const words = sentences.flatMap((sentence) => wordsOf(sentence)).filter((word) => /\p{L}/u.test(word));
  if (sentences.length < 2 || words.length < 20) return null;
  const wordsPerSentence = words.length / sentences.length;
  const syllablesPerWord = words.reduce((sum, word) => sum + syllablesOf(word), 0) / words.length;
  const ease = 206.835 - 1.015 * wordsPerSentence - 84.6 * syllablesPerWord;
  return {
    sentences: sentences.length,
    wordsPerSentence: rounded(wordsPerSentence),
    syllablesPerWord: rounded(syllablesPerWord),
    readingEase: rounded(Math.min(100, Math.max(0, ease))),
    gradeLevel: rounded(Math.max(0, 0.39 * wordsPerSentence + 11.8 * syllablesPerWord - 15.59)),
  };
}

/** Groups of vowels, without a silent e at the end. */
function syllablesOf(word: string): number {
  const lower = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  const groups = lower.replace(/(?<![aeiouy])e$|(?<=[^td])ed$/, "").match(/[aeiouyæøœ]+/g);
  return Math.max(1, groups?.length ?? 1);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
