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
import { letterWidth } from "./invisible-font.ts";
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
  for (const word of seen.words) operators.push(...wordOperators(word, name, place));
  page.pushOperators(...operators, endText(), popGraphicsState());
}

/** None for the words of a text layer, which the page has already. */
function wordOperators(
  { text, baseline }: Word,
  font: PDFName,
  place: ReturnType<typeof placeOnPage>,
): PDFOperator[] {
  if (baseline === undefined || baseline.size <= 0 || baseline.length <= 0) return [];
  const { x, y, degrees, size, length } = baseline;
  const radians = (degrees * Math.PI) / 180;
  const from = place(x, y);
  const to = place(x + Math.cos(radians), y + Math.sin(radians));
  const [cos, sin] = [to.x - from.x, to.y - from.y];
  const natural = text.length * letterWidth * size;
  return [
    setFontAndSize(font, size),
    setCharacterSqueeze((100 * length) / natural),
    setTextMatrix(cos, sin, -sin, cos, from.x, from.y),
    // The blank is for readers that only join what they find.
    showText(hexOf(`${text} `)),
  ];
}

function hexOf(text: string): PDFHexString {
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return PDFHexString.of(codes.map((code) => code.toString(16).padStart(4, "0").toUpperCase()).join(""));
}
