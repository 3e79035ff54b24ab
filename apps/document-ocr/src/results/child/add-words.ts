import {
  beginText,
  endText,
  PDFHexString,
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
} from "pdf-lib";
import type { PageText, Word } from "../../reading/page-text.ts";
import { letterWidth } from "./invisible-font.ts";

/** Writes the words where they were seen, in a way that shows nothing and can be searched. */
export function addWords(page: PDFPage, seen: PageText, font: PDFRef): void {
  const name = page.node.newFontDictionary("Invisible", font);
  const place = placeOnPage(page);
  const operators: PDFOperator[] = [
    pushGraphicsState(),
    beginText(),
    setTextRenderingMode(TextRenderingMode.Invisible),
    setFillingColor(rgb(0, 0, 0)),
  ];
  for (const word of seen.words) {
    const { origin, along, size, length } = baselineOf(word, seen.rotationDegrees);
    // The blank is for readers that only join what they find.
    const hex = hexOf(`${word.text} `);
    if (size <= 0 || length <= 0) continue;
    const natural = word.text.length * letterWidth * size;
    const from = place(origin.x, origin.y);
    const to = place(origin.x + along.x, origin.y + along.y);
    const [cos, sin] = [to.x - from.x, to.y - from.y];
    operators.push(
      setFontAndSize(name, size),
      setCharacterSqueeze((100 * length) / natural),
      setTextMatrix(cos, sin, -sin, cos, from.x, from.y),
      showText(hex),
    );
  }
  page.pushOperators(...operators, endText(), popGraphicsState());
}

/** From points of the page as it is shown to the page's own coordinates. */
function placeOnPage(page: PDFPage): (x: number, y: number) => { x: number; y: number } {
  const { x: left, y: bottom, width, height } = page.getCropBox();
  const quarters = (((page.getRotation().angle / 90) % 4) + 4) % 4;
  switch (quarters) {
    case 1:
      return (x, y) => ({ x: left + y, y: bottom + x });
    case 2:
      return (x, y) => ({ x: left + width - x, y: bottom + y });
    case 3:
      return (x, y) => ({ x: left + width - y, y: bottom + height - x });
    default:
      return (x, y) => ({ x: left + x, y: bottom + height - y });
  }
}

/** Where a word begins, which way it goes, how tall and how long it is. */
function baselineOf({ box: { x, y, width, height } }: Word, rotationDegrees: number) {
  switch (rotationDegrees) {
    case 90:
      return { origin: { x, y }, along: { x: 0, y: 1 }, size: width, length: height };
    case 180:
      return { origin: { x: x + width, y }, along: { x: -1, y: 0 }, size: height, length: width };
    case 270:
      return { origin: { x: x + width, y: y + height }, along: { x: 0, y: -1 }, size: width, length: height };
    default:
      return { origin: { x, y: y + height }, along: { x: 1, y: 0 }, size: height, length: width };
  }
}

function hexOf(text: string): PDFHexString {
  const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return PDFHexString.of(codes.map((code) => code.toString(16).padStart(4, "0").toUpperCase()).join(""));
}
