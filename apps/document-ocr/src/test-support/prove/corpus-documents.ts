import { PDFDocument } from "@cantoo/pdf-lib";
import { type CorpusDocument, corpusDocuments, type DocumentKind } from "../../corpus/documents.ts";
import type { Document } from "./proving-ground.ts";

const corpus = corpusDocuments();
const pagesEach = 8;

/** All documents of the corpus, or those of a kind. */
export function documentsOf(kind?: DocumentKind): Promise<Document[]> {
  return Promise.all(corpus.filter((document) => kind === undefined || document.kind === kind).map(made));
}

/**
 * Four, as in the comparison of the document. Of several pages, so that reading is the work, and not the start of three
 * processes for each; the same pages in another order each time, so that none is like another.
 */
export async function documentsForTwo(): Promise<Document[]> {
  const sheets = (await documentsOf("clean-scan")).slice(0, pagesEach);
  return Promise.all(
    Array.from({ length: 4 }, (_, at) =>
      bound(`bound-${at + 1}.pdf`, [...sheets.slice(at), ...sheets.slice(0, at)]),
    ),
  );
}

async function bound(name: string, sheets: readonly Document[]): Promise<Document> {
  const whole = await PDFDocument.create();
  for (const { bytes } of sheets) {
    const sheet = await PDFDocument.load(bytes);
    for (const page of await whole.copyPages(sheet, sheet.getPageIndices())) whole.addPage(page);
  }
  return { name, bytes: await whole.save() };
}

async function made({ name, make }: CorpusDocument): Promise<Document> {
  return { name: `${name}.pdf`, bytes: await make() };
}
