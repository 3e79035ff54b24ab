import { wordsOf } from "../facts/words-of.ts";
import { sentencesOf } from "./sentences-of.ts";

export interface ToneMarks {
  /** Of a hundred words, those that speak to the reader. */
  readonly addressing: number;
  /** Of a hundred words, those in which the site speaks of itself. */
  readonly selfNaming: number;
  readonly exclaimedShare: number;
  readonly askedShare: number;
  readonly longWordShare: number;
}

const you = new Set(
  "you your yours du dein deine ihr euer sie ihnen tu ton ta vous votre vos usted ustedes tus".split(" "),
);
const we = new Set("we our ours us wir uns unser unsere nous notre nos nosotros nuestra nuestro".split(" "));

/** How a text speaks, counted. */
export function toneMarks(text: string): ToneMarks {
  const words = wordsOf(text.toLowerCase());
  const sentences = sentencesOf(text);
  const perHundred = (set: ReadonlySet<string>) =>
    share(words.filter((word) => set.has(word)).length, words.length);
  const ending = (mark: RegExp) =>
    share(sentences.filter((sentence) => mark.test(sentence)).length, sentences.length);
  return {
    addressing: perHundred(you),
    selfNaming: perHundred(we),
    exclaimedShare: ending(/!\S*$/),
    askedShare: ending(/\?\S*$/),
    longWordShare: share(words.filter((word) => word.length > 8).length, words.length),
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000) / 10;
}
