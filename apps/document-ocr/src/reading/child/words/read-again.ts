import type { Language } from "../../languages.ts";
import { glyphsIn } from "../image/glyphs-in.ts";
import type { GrayImage } from "../image/gray-image.ts";
import { isLineHigh, type Region, unreadRegions } from "../image/unread-regions.ts";
import type { ImageReader, Layout, SeenLines, SeenWord } from "./tesseract.ts";

// More places than a full table has cells are not letters that were overlooked.
const mostPlaces = 80;
const leastConfidence = 40;
// A word by itself that was read with less is looked at once more; nearly all that are right have more.
const sureFrom = 80;
// In sizes of the font: a word with nothing nearer on its line stands by itself.
const byItself = 1.2;
const mostHeight = 1.5;
const mostFigures = 6;
const white = 255;

export interface ReadAgain {
  /** Without what was read again. */
  readonly lines: SeenLines;
  /** What was overlooked at first or read badly, place by place. */
  readonly lateLines: SeenLines;
  /** Where there is ink that could not be read. */
  readonly unread: readonly Region[];
}

interface Reading {
  readonly dpi: number;
  readonly language: Language;
  readonly divide: number;
  readonly reader: ImageReader;
}

/**
 * Reads what was overlooked, place by place. Tesseract looks for paragraphs first, and single figures that stand far from
 * everything, as in the column of quantities of an invoice, are nothing to it, or the worst guess of all.
 */
export async function readAgain(image: GrayImage, all: SeenLines, reading: Reading): Promise<ReadAgain> {
  const fontSize = usualFontSize(all) ?? reading.dpi / 7;
  const isDoubtful = (word: SeenWord, line: readonly SeenWord[]) =>
    word.confidence < sureFrom &&
    (word.bottom - word.top > mostHeight * fontSize || standsAlone(word, line, byItself * fontSize));
  const doubtful = all.flatMap((line) => line.filter((word) => isDoubtful(word, line)));
  const lines = all
    .map((line) => line.filter((word) => !isDoubtful(word, line)))
    .filter((line) => line.length > 0);
  const lateLines: SeenWord[][] = [];
  const unread: Region[] = [];
  for (const [at, region] of unreadRegions(image, lines, { divide: reading.divide, fontSize }).entries()) {
    // A word that is higher than a line is a guess about several lines at once.
    const before = doubtful.filter(
      (word) => overlaps(word, region) && word.bottom - word.top <= mostHeight * fontSize,
    );
    const late =
      at < mostPlaces && isLineHigh(region, fontSize)
        ? await readPlace(image, region, { ...reading, fontSize, before })
        : before;
    if (late.length > 0) lateLines.push([...late]);
    else unread.push(region);
  }
  return { lines, lateLines, unread };
}

/** As text and as a number, whichever is surer; what was read there before stays if neither is. */
async function readPlace(
  image: GrayImage,
  region: Region,
  {
    dpi,
    language,
    reader,
    fontSize,
    divide,
    before,
  }: Reading & { fontSize: number; before: readonly SeenWord[] },
): Promise<readonly SeenWord[]> {
  const margin = Math.round(fontSize / 2);
  const read = async (part: Region, layout: Layout) =>
    (await reader.read(cutOut(image, part, margin), { dpi, language, layout }))
      .flat()
      .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
      .map((word) => movedBy(word, part.left - margin, part.top - margin, fontSize));
  let best = before;
  for (const layout of ["line", "figures"] as const) {
    if (confidenceOf(best) >= sureFrom && layout === "figures") break;
    const again = await read(region, layout);
    if (confidenceOf(again) > confidenceOf(best)) best = again;
  }
  const glyphs = glyphsIn(image, region, divide);
  const text = best.map((word) => word.text).join("");
  // Without words around them two equal figures are taken for one, and thin ones for others.
  if (glyphs.length <= mostFigures && /^\d*$/.test(text) && isWorthCounting(best, text, glyphs)) {
    const figures = [];
    for (const glyph of glyphs) figures.push(...(await read(glyph, "figure")));
    if (figures.length === glyphs.length && confidenceOf(figures) >= leastConfidence) best = joined(figures);
  }
  return confidenceOf(best) >= leastConfidence ? best : before;
}

function isWorthCounting(words: readonly SeenWord[], text: string, glyphs: readonly Region[]): boolean {
  return text.length !== glyphs.length || confidenceOf(words) < sureFrom;
}

/** One word of several. */
function joined(words: readonly SeenWord[]): SeenWord[] {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [
    {
      ...first,
      text: words.map(({ text }) => text).join(""),
      confidence: confidenceOf(words),
      right: last.right,
      top: Math.min(...words.map(({ top }) => top)),
      bottom: Math.max(...words.map(({ bottom }) => bottom)),
      baseline: { left: first.baseline.left, right: last.baseline.right },
    },
  ];
}

/** Of the least certain word; less than any for none. */
function confidenceOf(words: readonly SeenWord[]): number {
  return words.length === 0 ? -1 : Math.min(...words.map(({ confidence }) => confidence));
}

function standsAlone(word: SeenWord, line: readonly SeenWord[], gap: number): boolean {
  return line.every(
    (other) => other === word || other.left - word.right > gap || word.left - other.right > gap,
  );
}

function overlaps(word: SeenWord, { left, top, right, bottom }: Region): boolean {
  return word.left < right && word.right > left && word.top < bottom && word.bottom > top;
}

/** Half of the words are set smaller; null where there are none. */
function usualFontSize(lines: SeenLines): number | null {
  const sizes = lines.flat().map(({ fontSize }) => fontSize);
  return sizes.sort((one, other) => one - other)[sizes.length >> 1] ?? null;
}

/** With white around it, as the reader wants it. */
function cutOut({ width, height, pixels }: GrayImage, region: Region, margin: number): GrayImage {
  const [across, down] = [region.right - region.left + 2 * margin, region.bottom - region.top + 2 * margin];
  const cut = new Uint8Array(across * down).fill(white);
  const reach = Math.min(margin, 4);
  const [top, bottom] = [Math.max(0, region.top - reach), Math.min(height, region.bottom + reach)];
  const [left, right] = [Math.max(0, region.left - reach), Math.min(width, region.right + reach)];
  for (let y = top; y < bottom; y++) {
    const to = (y - region.top + margin) * across + (left - region.left + margin);
    cut.set(pixels.subarray(y * width + left, y * width + right), to);
  }
  return { width: across, height: down, pixels: cut };
}

function movedBy(word: SeenWord, x: number, y: number, fontSize: number): SeenWord {
  const { left, right, top, bottom, baseline } = word;
  return {
    ...word,
    ...{ left: left + x, right: right + x, top: top + y, bottom: bottom + y },
    baseline: { left: baseline.left + y, right: baseline.right + y },
    fontSize,
  };
}
