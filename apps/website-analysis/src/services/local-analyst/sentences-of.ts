import { wordsOf } from "../facts/words-of.ts";

const fewestWords = 4;
const mostWords = 60;
const mostSentences = 400;
const sentenceEnd = /(?<=[.!?…]["'»”)]?)\s+|(?<=[。！？])/u;

/** The sentences of a text that can stand alone; menus, labels and lists without an end are left out. */
export function sentencesOf(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split("\n")) {
    for (const part of line.split(sentenceEnd)) {
      const sentence = part.trim();
      if (!/[.!?…。！？]["'»”)]?$/u.test(sentence)) continue;
      const words = wordsOf(sentence).length;
      if (words >= fewestWords && words <= mostWords) found.push(sentence);
      if (found.length === mostSentences) return found;
    }
  }
  return found;
}
