import { isInside, type PageText } from "../reading/page-text.ts";
import type { BoostedPage, Correction } from "./boosted-page.ts";
import { correctWord } from "./correct-word.ts";
import type { Dictionary } from "./dictionary.ts";
import { joinLines } from "./join-lines.ts";
import { type Line, type LineWord, pageLines } from "./page-lines.ts";
import { paragraphsOf } from "./paragraphs.ts";
import { plainLetters } from "./plain-letters.ts";

// Tesseract is nearly always right above it; a correction would do more harm than good.
const doubtfulBelow = 85;

/** The page's text in paragraphs, with hyphens at line ends undone, ligatures apart and clear misreadings corrected. */
export function boostPage(page: PageText, dictionary: Dictionary): BoostedPage {
  const corrections: Correction[] = [];
  const wordOf = ({ index, text, confidence }: LineWord) => {
    const plain = plainLetters(text);
    if (page.source !== "ocr" || confidence >= doubtfulBelow) return plain;
    const to = correctWord(plain, dictionary);
    if (to !== plain) corrections.push({ word: index, from: plain, to });
    return to;
  };
  const paragraphs = paragraphsOf(pageLines(page), (line) => isRow(line, page)).map(({ lines: parts }) => {
    let [text, runsOn] = ["", false];
    for (const part of parts) {
      const next = part.line.map(wordOf).join(" ");
      text =
        text === ""
          ? next
          : runsOn || endsInHyphen(text)
            ? joinLines(text, next, dictionary)
            : `${text}\n${next}`;
      runsOn = part.runsOn;
    }
    return text;
  });
  return { page: page.page, text: paragraphs.join("\n\n"), source: "local", corrections, note: null };
}

/** Whether a line is a row of a table, which does not run on into the next. */
function isRow([first]: Line, { words, tables }: PageText): boolean {
  const word = words[first?.index ?? -1];
  return word !== undefined && tables.some(({ box }) => isInside(word, box));
}

function endsInHyphen(text: string): boolean {
  return /\p{L}[-\u00ad\u2010]$/u.test(text);
}
