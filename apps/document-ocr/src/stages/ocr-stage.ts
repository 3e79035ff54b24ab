import { hostname } from "node:os";
import { join } from "node:path";
import type { StageContext } from "lockstep";
import type { DocumentOcrPayload } from "../document-ocr-payload.ts";
import type { OcrParts } from "../ocr-parts.ts";
import type { PageText } from "../reading/page-text.ts";
import type { ExtractedDocument } from "./extraction-stage.ts";

/** What reading found; the pages themselves are in the page store. */
export interface ReadDocument {
  /** Under which settings they are there. */
  readonly reading: string;
  readonly pagesBySource: Readonly<Record<PageText["source"], number>>;
  /** The mean of the pages that have words, 0 to 100. */
  readonly confidence: number;
  /** Read by an earlier try, or by another job with the same document. */
  readonly pagesFoundRead: number;
}

/** Reads page by page. Each page is stored at once, so that the next try continues where this one ended. */
export function ocrStage({ files, pages, reading }: OcrParts) {
  return async ({
    jobId,
    output: document,
    signal,
    progress,
    tempFolder,
    log,
  }: StageContext<DocumentOcrPayload, ExtractedDocument>): Promise<ReadDocument> => {
    const key = { sha256: document.sha256, reading: reading.key };
    const donePages = await pages.pages(key);
    if (donePages.size > 0) log.info(`${donePages.size} of ${document.pages} pages were read before`);
    const folder = await tempFolder();
    const file = join(folder, "document.pdf");
    await files.copyTo(document.sha256, file);

    const worker = `${hostname()}:${process.pid}`;
    let read = donePages.size;
    const all = await reading.read({
      file,
      folder,
      donePages,
      signal,
      onPage: async (page) => {
        await pages.save(key, page, { jobId, worker });
        read += 1;
        progress((100 * read) / document.pages, `page ${page.page}: ${read} of ${document.pages} read`);
      },
    });
    return {
      reading: reading.key,
      pagesBySource: countedBySource(all),
      confidence: meanConfidence(all),
      pagesFoundRead: donePages.size,
    };
  };
}

function countedBySource(pages: readonly PageText[]): ReadDocument["pagesBySource"] {
  const counts = { "text-layer": 0, ocr: 0, model: 0 };
  for (const { source } of pages) counts[source] += 1;
  return counts;
}

function meanConfidence(pages: readonly PageText[]): number {
  const withWords = pages.filter(({ words }) => words.length > 0);
  const sum = withWords.reduce((total, { confidence }) => total + confidence, 0);
  return withWords.length === 0 ? 0 : Math.round((10 * sum) / withWords.length) / 10;
}
