import type { Language } from "../../languages.ts";
import { type Box, round, type Table, type Word } from "../../page-text.ts";
import { cleanImage } from "../image/clean-image.ts";
import { findSkew } from "../image/find-skew.ts";
import type { GrayImage } from "../image/gray-image.ts";
import { inkOf } from "../image/ink.ts";
import { levelPaper } from "../image/level-paper.ts";
import { turnImage } from "../image/turned-image.ts";
import { withoutRules } from "../image/without-rules.ts";
import { arrange, withLateWords } from "./arrange.ts";
import { detectLanguage } from "./detect-language.ts";
import { evenSizes } from "./even-sizes.ts";
import { boxOnPage, wordOnPage } from "./on-page.ts";
import { readAgain } from "./read-again.ts";
import { tableOf } from "./table-of.ts";
import type { ImageReader, SeenLines, SeenWord } from "./tesseract.ts";

/** What was seen on a page, its boxes in points of the page as it is shown. */
export interface SeenPage {
  readonly lines: readonly (readonly Word[])[];
  readonly tables: readonly Table[];
  readonly rotationDegrees: number;
  readonly skewDegrees: number;
  readonly language: Language | null;
  /** Where there is ink that could not be read. */
  readonly unread: readonly Box[];
}

export interface ReadImageOptions {
  readonly dpi: number;
  /** To read it in; another one if the text turns out to be in another, unless that was decided. */
  readonly language: Language;
  readonly isLanguageDecided: boolean;
  readonly reader: ImageReader;
}

// Text that is read upside down gives words, but hardly any that tesseract believes in.
const leastUprightConfidence = 60;
// Lines have to stand out clearly more across the page than along it, or a table would be turned.
const sidewaysLead = 1.2;

/** Turns the picture of a page until its lines are level and upright, and reads it. */
export async function readImage(drawn: GrayImage, options: ReadImageOptions): Promise<SeenPage> {
  const { dpi, reader } = options;
  const image = levelPaper(drawn);
  const ink = inkOf(image);
  const level = findSkew(ink, { sideways: false });
  const sideways = findSkew(ink, { sideways: true });
  const isSideways = sideways.score > level.score * sidewaysLead;
  const { degrees } = isSideways ? sideways : level;
  const clean = cleanImage(image, ink.divide);
  const readTurned = async (quarters: number) => {
    const turned = turnImage(clean, quarters, degrees);
    const plain = withoutRules(turned, { dpi, divide: ink.divide });
    return { quarters, turned, plain, lines: await reader.read(plain, { dpi, language: options.language }) };
  };
  const first = await readTurned(isSideways ? 1 : 0);
  const second =
    confidenceOf(first.lines) < leastUprightConfidence ? await readTurned(first.quarters + 2) : first;
  const best = confidenceOf(second.lines) > confidenceOf(first.lines) ? second : first;
  const { plain, turned } = best;
  const { language, read } = await inItsLanguage(plain, best.lines, options);
  const { lines, lateLines, unread } = await readAgain(plain, read, {
    dpi,
    language,
    divide: ink.divide,
    reader,
  });

  const placed = evenSizes([...lines, ...lateLines]).map((line) =>
    line.map((word) => ({ word: wordOnPage(word, turned, dpi), box: boxOf(word) })),
  );
  const arranged = arrange(withLateWords(placed.slice(0, lines.length), placed.slice(lines.length)));
  return {
    rotationDegrees: best.quarters * 90,
    skewDegrees: round(degrees),
    language,
    lines: arranged.lines.map((line) => line.map(({ word }) => word)),
    tables: arranged.tables.map((rows) =>
      tableOf(rows.map((row) => row.map((cell) => cell.map(({ word }) => word)))),
    ),
    unread: unread.map((region) => boxOnPage(region, turned, dpi)),
  };
}

/** Read once more if the text is in another language than it was read in. */
async function inItsLanguage(
  image: GrayImage,
  lines: SeenLines,
  { dpi, language, isLanguageDecided, reader }: ReadImageOptions,
): Promise<{ language: Language; read: SeenLines }> {
  const found = isLanguageDecided ? null : detectLanguage(textOf(lines));
  if (found === null || found === language) return { language, read: lines };
  return { language: found, read: await reader.read(image, { dpi, language: found }) };
}

function textOf(lines: SeenLines): string {
  return lines.map((line) => line.map(({ text }) => text).join(" ")).join("\n");
}

function boxOf({ left, top, right, bottom }: SeenWord): Box {
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The mean by letters: scraps of one letter are many and mean little. */
function confidenceOf(lines: SeenLines): number {
  let [sum, letters] = [0, 0];
  for (const { text, confidence } of lines.flat()) {
    sum += confidence * text.length;
    letters += text.length;
  }
  return letters === 0 ? 0 : sum / letters;
}
