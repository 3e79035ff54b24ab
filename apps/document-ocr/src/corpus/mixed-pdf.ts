import { placePicture, type ScanQuality, scanPage } from "./scan.ts";
import { newDocument, type TypesetPage, typesetPage } from "./typeset.ts";

const headPoints = 85;

/** The first page has a text layer; on the others the heading has one, and the rest is a picture below it. */
export async function mixedPdf(pages: readonly TypesetPage[], quality: ScanQuality): Promise<Uint8Array> {
  const document = await newDocument();
  for (const [at, page] of pages.entries()) {
    if (at === 0) {
      await typesetPage(document, page);
      continue;
    }
    const { heading, ...body } = page;
    const sheet = await typesetPage(document, { ...page, paragraphs: [] });
    const { pixels, width, height } = await scanPage({ ...body, heading: " " }, quality, at);
    const top = Math.round((headPoints * quality.dpi) / 72);
    const below = { width, height: height - top, pixels: pixels.subarray(top * width) };
    placePicture(sheet, below, quality.dpi);
  }
  return document.save();
}
