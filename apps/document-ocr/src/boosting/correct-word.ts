import type { Dictionary } from "./dictionary.ts";

// What OCR takes for what, in both directions.
const lookalikes: readonly (readonly [string, string])[] = [
  ["rn", "m"],
  ["cl", "d"],
  ["vv", "w"],
  ["ii", "u"],
  ["li", "h"],
  ["nn", "m"],
  ["0", "o"],
  ["0", "O"],
  ["1", "l"],
  ["1", "I"],
  ["1", "i"],
  ["l", "I"],
  ["l", "i"],
  ["|", "l"],
  ["|", "I"],
  ["!", "l"],
  ["5", "s"],
  ["5", "S"],
  ["8", "B"],
  ["b", "h"],
  ["c", "e"],
  ["f", "t"],
  ["€", "e"],
];
const digitsFor: Readonly<Record<string, string>> = {
  O: "0",
  o: "0",
  l: "1",
  I: "1",
  "|": "1",
  S: "5",
  B: "8",
};
const fewestLetters = 3;

/** The word that was most likely printed; the same word when that is not clear. */
export function correctWord(word: string, dictionary: Dictionary): string {
  const [, before = "", core = "", after = ""] =
    /^([^\p{L}\p{N}|!€]*)(.*?)([^\p{L}\p{N}|]*)$/u.exec(word) ?? [];
  if (isMostlyDigits(core))
    return before + core.replace(/[OolI|SB]/g, (sign) => digitsFor[sign] ?? sign) + after;
  if (core.length < fewestLetters || !/\p{L}/u.test(core) || isKnown(core, dictionary)) return word;
  const candidates = new Set(nearWords(core).filter((near) => isKnown(near, dictionary)));
  // Two words that it could be are two too many.
  const [only] = candidates.size === 1 ? candidates : [];
  return only === undefined ? word : before + only + after;
}

/** A number with a letter in it: "2O26", "l,5OO". Names such as "B8" are left alone. */
function isMostlyDigits(core: string): boolean {
  return /^[\dOolI|SB.,:/-]+$/.test(core) && core.replace(/\D/g, "").length * 2 > core.length;
}

function isKnown(word: string, dictionary: Dictionary): boolean {
  // A part of "well-known" or "mother's" may be wrong by itself.
  return /\p{L}/u.test(word) && !/\d/.test(word) && word.split("-").every((part) => dictionary.has(part));
}

/** Each word that one mistake could have turned into this one, every place of it tried. */
function nearWords(word: string): string[] {
  return lookalikes
    .flatMap(([one, other]) => [[one, other] as const, [other, one] as const])
    .flatMap(([seen, printed]) => replacedOnce(word, seen, printed));
}

function replacedOnce(word: string, seen: string, printed: string): string[] {
  const words: string[] = [];
  for (let at = word.indexOf(seen); at !== -1; at = word.indexOf(seen, at + 1)) {
    words.push(word.slice(0, at) + printed + word.slice(at + seen.length));
  }
  return words;
}
