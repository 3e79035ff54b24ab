import {
  beginText,
  endText,
  PDFHexString,
  type PDFName,
  type PDFOperator,
  type PDFPage,
  type PDFRef,
  popGraphicsState,
  pushGraphicsState,
  rgb,
  setCharacterSqueeze,
  setFillingColor,
  setFontAndSize,
  setTextMatrix,
  setTextRenderingMode,
  showText,
  TextRenderingMode,
} from "@cantoo/pdf-lib";
import type { PageText, Word } from "../../reading/page-text.ts";
import { letterWidth, wideBlank } from "./invisible-font.ts";
import { placeOnPage } from "./place-on-page.ts";

/** Writes the words that were seen on their own baselines, in a way that shows nothing and can be searched. */
export function addWords(page: PDFPage, seen: PageText, font: PDFRef): void {
  const name = page.node.newFontDictionary("Invisible", font);
  const place = placeOnPage(page);
  const operators: PDFOperator[] = [
    pushGraphicsState(),
    beginText(),
    setTextRenderingMode(TextRenderingMode.Invisible),
    setFillingColor(rgb(0, 0, 0)),
  ];
  for (const [at, word] of seen.words.entries()) {
    operators.push(
      ...wordOperators(word, { font: name, place, blankPoints: blankAfter(word, seen.words[at + 1]) }),
    );
  }
  page.pushOperators(...operators, endText(), popGraphicsState());
}

interface Writing {
  readonly font: PDFName;
  readonly place: ReturnType<typeof placeOnPage>;
  /** Up to the next word of its line; 0: the line ends, or goes on after a usual blank. */
  readonly blankPoints: number;
}

/** None for the words of a text layer, which the page has already. */
function wordOperators({ text, baseline }: Word, { font, place, blankPoints }: Writing): PDFOperator[] {
  if (baseline === undefined || baseline.size <= 0 || baseline.length <= 0) return [];
  const { x, y, degrees, size, length } = baseline;
  const radians = (degrees * Math.PI) / 180;
  const from = place(x, y);
  const to = place(x + Math.cos(radians), y + Math.sin(radians));
  const [cos, sin] = [to.x - from.x, to.y - from.y];
  const letter = letterWidth * size;
  const word = [
    setFontAndSize(font, size),
    setCharacterSqueeze((100 * length) / (text.length * letter)),
    setTextMatrix(cos, sin, -sin, cos, from.x, from.y),
  ];
  // The blank is for readers that only join what they find.
  if (blankPoints === 0) return [...word, showText(hexOf(`${text} `))];
  return [
    ...word,
    showText(hexOf(text)),
    setCharacterSqueeze((100 * blankPoints) / letter),
    showText(hexOf(wideBlank)),
  ];
}

// In sizes of the font: wider gaps are taken for the end of a column.
const widestBlank = 1;

/** How far it is to the next word, if that is in the same line and further away than words usually are. */
function blankAfter({ baseline }: Word, next: Word | undefined): number {
  if (baseline === undefined || next?.baseline === undefined) return 0;
  const { x, y, degrees, length, size } = baseline;
  const [right, down] = [next.baseline.x - x, next.baseline.y - y];
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const [along, across] = [right * cos + down * sin, down * cos - right * sin];
  const isSameLine = Math.abs(across) < size / 2 && along > length;
  return isSameLine && along - length > widestBlank * size ? along - length : 0;
}

function hexOf(text: string): PDFHexString {
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return PDFHexString.of(codes.map((code) => code.toString(16).padStart(4, "0").toUpperCase()).join(""));
}
