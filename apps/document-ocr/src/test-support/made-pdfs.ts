import { cleanScan, placePicture, scanPage } from "../corpus/scan.ts";
import { newDocument, typesetPage, typesetPdf } from "../corpus/typeset.ts";

/** A PDF with a text layer, a sentence a page. */
export function textPdf(pages: readonly string[]): Promise<Uint8Array> {
  return typesetPdf(pages.map((text) => ({ paragraphs: [text] })));
}

/** A page with a text layer, and a small one that is only a picture. */
export async function textAndScanPdf(text: string, scanned: readonly string[]): Promise<Uint8Array> {
  const document = await newDocument();
  await typesetPage(document, { paragraphs: [text] });
  const size = { width: 300, height: 200 };
  const sheet = await typesetPage(document, { paragraphs: [], size });
  placePicture(sheet, await scanPage({ paragraphs: scanned, size }, cleanScan, 1), cleanScan.dpi);
  return document.save();
}
