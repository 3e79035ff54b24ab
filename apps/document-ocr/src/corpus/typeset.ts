import { degrees, PDFDocument, type PDFFont, type PDFPage, StandardFonts } from "@cantoo/pdf-lib";

export interface TypesetPage {
  readonly heading?: string;
  readonly paragraphs: readonly string[];
  readonly columns?: number;
  readonly font?: "serif" | "sans" | "typewriter";
  readonly fontSize?: number;
  readonly size?: { readonly width: number; readonly height: number };
  /** What the file says the page is to be turned by when shown, clockwise. */
  readonly turnedDegrees?: 0 | 90 | 180 | 270;
}

const a4 = { width: 595, height: 842 };
const margin = 60;
const fonts = {
  serif: StandardFonts.TimesRoman,
  sans: StandardFonts.Helvetica,
  typewriter: StandardFonts.Courier,
};

/** A PDF with a text layer. The fonts are those that every reader has, so that it is the same on every machine. */
export async function typesetPdf(pages: readonly TypesetPage[]): Promise<Uint8Array> {
  const document = await newDocument();
  for (const page of pages) await typesetPage(document, page);
  return document.save();
}

/** Nothing in it depends on the day it is made. */
export async function newDocument(): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false });
  document.setCreationDate(new Date(0));
  document.setModificationDate(new Date(0));
  document.setProducer("corpus");
  return document;
}

export async function typesetPage(document: PDFDocument, page: TypesetPage): Promise<PDFPage> {
  const { columns = 1, fontSize = 11, turnedDegrees = 0, size = a4 } = page;
  const font = await document.embedFont(fonts[page.font ?? "serif"]);
  const sheet = document.addPage([size.width, size.height]);
  sheet.setRotation(degrees(turnedDegrees));
  let top = size.height - margin;
  if (page.heading !== undefined) {
    sheet.drawText(page.heading, { x: margin, y: top - fontSize * 1.6, size: fontSize * 1.6, font });
    top -= fontSize * 3.2;
  }
  const gutter = 30;
  const columnWidth = (size.width - 2 * margin - gutter * (columns - 1)) / columns;
  const lines = page.paragraphs.flatMap((paragraph) => [...wrap(paragraph, font, fontSize, columnWidth), ""]);
  const perColumn = columns === 1 ? lines.length : Math.ceil(lines.length / columns);
  for (const [at, line] of lines.entries()) {
    const column = Math.floor(at / perColumn);
    const y = top - fontSize * 1.45 * ((at % perColumn) + 1);
    if (y < margin / 2) throw new RangeError("The text does not fit on its page.");
    sheet.drawText(line, { x: margin + column * (columnWidth + gutter), y, size: fontSize, font });
  }
  return sheet;
}

/** What a page says, as a reader should give it back; blanks and line ends do not count. */
export function truthOf({ heading, paragraphs }: TypesetPage): string {
  return [heading ?? "", ...paragraphs].join("\n\n").trim();
}

function wrap(paragraph: string, font: PDFFont, fontSize: number, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of paragraph.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && font.widthOfTextAtSize(longer, fontSize) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
