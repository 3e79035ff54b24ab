import { type PDFFont, rgb, StandardFonts } from "@cantoo/pdf-lib";
import type { Language } from "../../reading/languages.ts";
import { pick, type Random } from "../seeded-random.ts";
import { newDocument } from "../typeset.ts";
import { invoiceIn } from "./texts.ts";

export interface Invoice {
  readonly title: string;
  readonly thanks: string;
  /** The first row holds the names of the columns, the last one the total. */
  readonly rows: readonly (readonly string[])[];
  readonly look: "ruled" | "grid" | "bare";
}

const looks = ["ruled", "grid", "bare"] as const;

export function makeInvoice(language: Language, random: Random): Invoice {
  const { title, thanks, columns, items, total } = invoiceIn[language];
  const money = (cents: number) =>
    `${Math.floor(cents / 100)}${language === "eng" ? "." : ","}${String(cents % 100).padStart(2, "0")}`;
  let sum = 0;
  const rows = items.map((item) => {
    const quantity = 1 + Math.floor(random() * 24);
    const cents = 95 + Math.floor(random() * 8_000);
    sum += quantity * cents;
    return [item, String(quantity), money(cents), money(quantity * cents)];
  });
  return {
    title: `${title} ${10_000 + Math.floor(random() * 80_000)}`,
    thanks,
    rows: [[...columns], ...rows, [total, "", "", money(sum)]],
    look: pick(random, looks),
  };
}

/** Row by row, as a reader should give it back. */
export function invoiceTruth({ title, thanks, rows }: Invoice): string {
  return [title, ...rows.map((row) => row.filter((cell) => cell !== "").join(" ")), thanks].join("\n");
}

const a4 = [595, 842] as const;
const [left, right, rowHeight, fontSize] = [60, 535, 22, 11];
// Where the columns end; all but the first are flush right.
const ends = [270, 345, 440, right] as const;

export async function invoicePdf(invoice: Invoice): Promise<Uint8Array> {
  const document = await newDocument();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const page = document.addPage([...a4]);
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    page.drawLine({ start: { x: x1, y: y1 }, end: { x: x2, y: y2 }, thickness: 0.7, color: rgb(0, 0, 0) });
  page.drawText(invoice.title, { x: left, y: 750, size: 18, font });
  const top = 700;
  for (const [at, row] of invoice.rows.entries()) {
    const y = top - (at + 1) * rowHeight + 7;
    for (const [column, cell] of row.entries()) {
      page.drawText(cell, { x: cellX(cell, column, font), y, size: fontSize, font });
    }
  }
  const bottom = top - invoice.rows.length * rowHeight;
  if (invoice.look !== "bare") {
    for (let at = 0; at <= invoice.rows.length; at++) {
      const isKept = invoice.look === "grid" || at <= 1 || at >= invoice.rows.length - 1;
      if (isKept) line(left - 6, top - at * rowHeight, right + 6, top - at * rowHeight);
    }
  }
  if (invoice.look === "grid") {
    for (const x of [left - 6, ...ends.map((end) => end + 6)]) line(x, top, x, bottom);
  }
  page.drawText(invoice.thanks, { x: left, y: bottom - 40, size: fontSize, font });
  return document.save();
}

function cellX(cell: string, column: number, font: PDFFont): number {
  return column === 0 ? left : (ends[column] ?? right) - font.widthOfTextAtSize(cell, fontSize);
}
