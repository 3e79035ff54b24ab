import { textAndScanPdf, textPdf } from "../made-pdfs.ts";
import type { Document } from "./proving-ground.ts";

/** The documents of the corpus, as the proofs use them. */
export async function corpusDocuments(): Promise<{
  all: Document[];
  long: Document;
  short: Document[];
  scanned: Document[];
}> {
  const scanned: Document[] = [];
  for (let at = 1; at <= 20; at += 1) {
    const bytes = await textAndScanPdf(`Document ${at}`, [
      `Scanned document number ${at}`,
      "as paper has it",
    ]);
    scanned.push({ name: `scan-${at}.pdf`, bytes });
  }
  const texts: Document[] = [];
  for (let at = 1; at <= 20; at += 1)
    texts.push({ name: `text-${at}.pdf`, bytes: await textPdf([`Text ${at}`]) });
  const long = {
    name: "long.pdf",
    bytes: await textPdf(Array.from({ length: 30 }, (_, at) => `Page ${at + 1}`)),
  };
  return { all: [...scanned, ...texts], long, short: texts.slice(0, 7), scanned: scanned.slice(0, 8) };
}
