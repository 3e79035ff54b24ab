import { wordsOf } from "../words-of.ts";

const fewestWords = 4;
const mostWords = 60;
const mostSentences = 400;

/** The sentences of a text that can stand alone; menus, labels and lists without an end are left out. */
export function sentencesOf(text: string, language: string | null): string[] {
  const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
  const found: string[] = [];
  for (const line of text.split("\n")) {
    for (const { segment } of segmenter.segment(line)) {
      const sentence = segment.trim();
      if (!/[.!?。！？…]["'»”)]?$/.test(sentence)) continue;
      const words = wordsOf(sentence, language).length;
      if (words >= fewestWords && words <= mostWords) found.push(sentence);
      if (found.length === mostSentences) return found;
    }
  }
  return found;
}
