import { type Box, round, type Word } from "../page-text.ts";
import { type PdfPage, shownBox } from "./pdf-page.ts";
import { withMemory } from "./pdfium.ts";

export interface TextLayer {
  readonly words: readonly Word[];
  readonly text: string;
  readonly rotationDegrees: number;
  /** The share of its characters that stand for nothing: fonts without a table of their letters. */
  readonly garbageShare: number;
}

const softHyphen = 0x02;

/** The text that the file itself holds for a page, in the order it holds it. */
export function readTextLayer(page: PdfPage, mostWords: number): TextLayer {
  const { pdfium } = page;
  const textPage = pdfium._FPDFText_LoadPage(page.handle);
  try {
    const words: Word[] = [];
    const lines: string[][] = [[]];
    const turns = new Map<number, number>();
    let [letters, boxes]: [string, Box[]] = ["", []];
    let [shown, garbage] = [0, 0];
    const endWord = () => {
      if (letters !== "" && words.length < mostWords) {
        words.push({ text: letters, confidence: 100, box: union(boxes) });
        lines.at(-1)?.push(letters);
      }
      [letters, boxes] = ["", []];
    };
    const endLine = () => {
      endWord();
      if (lines.at(-1)?.length !== 0) lines.push([]);
    };
    const count = Math.max(0, pdfium._FPDFText_CountChars(textPage));
    for (let index = 0; index < count; index++) {
      const code = pdfium._FPDFText_GetUnicode(textPage, index);
      const isHyphen = code === softHyphen;
      const character = isHyphen ? "-" : characterOf(code);
      if (character === "\n") endLine();
      else if (character === " ") endWord();
      else {
        shown++;
        if (character === "" || pdfium._FPDFText_HasUnicodeMapError(textPage, index) === 1) garbage++;
        letters += character;
        boxes.push(boxOf(page, textPage, index));
        const turn = quarterTurns(pdfium._FPDFText_GetCharAngle(textPage, index));
        turns.set(turn, (turns.get(turn) ?? 0) + 1);
        // PDFium joins a word that a line end parts, and its halves have places of their own.
        if (isHyphen) endLine();
      }
    }
    endWord();
    const [mostTurn = 0] = [...turns].sort(([, one], [, other]) => other - one)[0] ?? [];
    return {
      words,
      text: lines
        .map((line) => line.join(" "))
        .join("\n")
        .trim(),
      rotationDegrees: ((mostTurn + page.quarterTurns) % 4) * 90,
      garbageShare: shown === 0 ? 0 : garbage / shown,
    };
  } finally {
    pdfium._FPDFText_ClosePage(textPage);
  }
}

/** Empty for what has no meaning as text, a space for every blank. */
function characterOf(code: number): string {
  if (code === 0x0a || code === 0x0d) return "\n";
  if (code <= 0x20 || code === 0xa0 || (code >= 0x2000 && code <= 0x200b)) return " ";
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  const isControl = code >= 0x7f && code < 0xa0;
  if (isPrivate || isControl || code >= 0xfffd || (code >= 0xd800 && code <= 0xdfff)) return "";
  return String.fromCodePoint(code);
}

/** Clockwise, of an angle that PDFium gives in radians. */
function quarterTurns(radians: number): number {
  if (radians < 0) return 0;
  return Math.round(radians / (Math.PI / 2)) % 4;
}

function boxOf(page: PdfPage, textPage: number, index: number): Box {
  return withMemory(page.pdfium, 16, (pointer, view) => {
    page.pdfium._FPDFText_GetLooseCharBox(textPage, index, pointer);
    const [left, top, right, bottom] = [0, 4, 8, 12].map((at) => view().getFloat32(at, true));
    return shownBox(page, { left: left ?? 0, top: top ?? 0, right: right ?? 0, bottom: bottom ?? 0 });
  });
}

function union(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}
