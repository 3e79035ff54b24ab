import type { Box, Word } from "../../page-text.ts";
import { uprightBox } from "../../upright-box.ts";
import { arrange } from "../words/arrange.ts";
import { detectLanguage } from "../words/detect-language.ts";
import type { SeenPage } from "../words/read-image.ts";
import { linesOf } from "../words/reading-order.ts";
import { tableOf } from "../words/table-of.ts";
import { union } from "../words/union.ts";
import { type PdfPage, shownBox } from "./pdf-page.ts";
import { type Pdfium, withMemory } from "./pdfium.ts";

export interface TextLayer extends SeenPage {
  /** The share of its characters that stand for nothing: fonts without a table of their letters. */
  readonly garbageShare: number;
}

export const noText: TextLayer = {
  lines: [],
  tables: [],
  rotationDegrees: 0,
  skewDegrees: 0,
  language: null,
  unread: [],
  garbageShare: 0,
};

const hyphenAtLineEnd = 0x02;

/** The text that the file itself holds for a page, in the order people read it. */
export function readTextLayer(page: PdfPage, mostWords: number): TextLayer {
  const textPage = page.pdfium._FPDFText_LoadPage(page.handle);
  try {
    const { words, turns, garbageShare } = wordsOf(page, textPage, mostWords);
    const rotationDegrees = ((turns + page.quarterTurns) % 4) * 90;
    const placed = words.map((word) => ({ word, box: uprightBox(word.box, { ...page, rotationDegrees }) }));
    const { lines, tables } = arrange(linesOf(placed));
    return {
      ...noText,
      lines: lines.map((line) => line.map(({ word }) => word)),
      tables: tables.map((rows) =>
        tableOf(rows.map((row) => row.map((cell) => cell.map(({ word }) => word)))),
      ),
      rotationDegrees,
      language: detectLanguage(words.map(({ text }) => text).join(" ")),
      garbageShare,
    };
  } finally {
    page.pdfium._FPDFText_ClosePage(textPage);
  }
}

function wordsOf(page: PdfPage, textPage: number, mostWords: number) {
  const { pdfium } = page;
  const words: Word[] = [];
  const turns = [0, 0, 0, 0];
  let [letters, boxes]: [string, Box[]] = ["", []];
  let [shown, garbage] = [0, 0];
  const endWord = () => {
    if (letters !== "") words.push({ text: letters, confidence: 100, box: union(boxes) });
    [letters, boxes] = ["", []];
  };
  const count = pdfium._FPDFText_CountChars(textPage);
  for (let index = 0; index < count && words.length < mostWords; index++) {
    const code = pdfium._FPDFText_GetUnicode(textPage, index);
    const character = characterOf(code);
    if (character === " ") {
      endWord();
      continue;
    }
    shown++;
    if (character === "" || pdfium._FPDFText_HasUnicodeMapError(textPage, index) === 1) garbage++;
    letters += character;
    boxes.push(boxOf(page, textPage, index));
    const turn = turnOf(pdfium, textPage, index);
    turns[turn] = (turns[turn] ?? 0) + 1;
    // PDFium joins the halves of a word that a line end parts, and each has a place of its own.
    if (code === hyphenAtLineEnd) endWord();
  }
  endWord();
  return {
    words,
    turns: turns.indexOf(Math.max(...turns)),
    garbageShare: shown === 0 ? 0 : garbage / shown,
  };
}

/** Empty for what has no meaning as text, a space for every blank and line end. */
function characterOf(code: number): string {
  if (code === hyphenAtLineEnd) return "-";
  if (code <= 0x20 || code === 0xa0 || (code >= 0x2000 && code <= 0x200b)) return " ";
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  const isControl = code >= 0x7f && code < 0xa0;
  if (isPrivate || isControl || code >= 0xfffd || (code >= 0xd800 && code <= 0xdfff)) return "";
  return String.fromCharCode(code);
}

/** Quarter turns clockwise of a letter on the page as the file has it, before the page itself is turned. */
function turnOf(pdfium: Pdfium, textPage: number, index: number): number {
  const radians = Math.max(0, pdfium._FPDFText_GetCharAngle(textPage, index));
  return Math.round(radians / (Math.PI / 2)) % 4;
}

function boxOf(page: PdfPage, textPage: number, index: number): Box {
  return withMemory(page.pdfium, 16, (pointer, view) => {
    page.pdfium._FPDFText_GetLooseCharBox(textPage, index, pointer);
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((at) => view().getFloat32(at, true));
    return shownBox(page, { left, top, right, bottom });
  });
}
