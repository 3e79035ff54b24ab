import { hostname } from "node:os";
import { join } from "node:path";
import type { StageContext } from "lockstep";
import type { DocumentOcrPayload } from "../document-ocr-payload.ts";
import type { OcrParts } from "../ocr-parts.ts";
import type { Language } from "../reading/languages.ts";
import type { PageText } from "../reading/page-text.ts";
import type { ExtractedDocument } from "./extraction-stage.ts";

/** What reading found; the pages themselves are in the page store. */
export interface ReadDocument {
  /** Under which settings they are there. */
  readonly reading: string;
  readonly pagesBySource: Readonly<Record<PageText["source"], number>>;
  /** The mean of the pages that have words, 0 to 100. */
  readonly confidence: number;
  /** In the order of their first pages. */
  readonly languages: readonly Language[];
  readonly tables: number;
  /** What a reader should look at, of the first pages that have any. */
  readonly warnings: readonly PageWarning[];
  /** Read by an earlier try, or by another job with the same document. */
  readonly pagesFoundRead: number;
}

export interface PageWarning {
  readonly page: number;
  readonly text: string;
}

const mostWarnings = 50;

/** Reads page by page. Each page is stored at once, so that the next try continues where this one ended. */
export function ocrStage({ files, pages, reading }: OcrParts) {
  return async ({
    jobId,
    payload,
    output: document,
    signal,
    progress,
    tempFolder,
    log,
  }: StageContext<DocumentOcrPayload, ExtractedDocument>): Promise<ReadDocument> => {
    const { language = null } = payload;
    const key = { sha256: document.sha256, reading: reading.keyFor(language) };
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
      language,
      signal,
      onPage: async (page) => {
        await pages.save(key, page, { jobId, worker });
        read += 1;
        progress((100 * read) / document.pages, `page ${page.page}: ${read} of ${document.pages} read`);
      },
    });
    return {
      reading: key.reading,
      pagesBySource: countedBySource(all),
      confidence: meanConfidence(all),
      languages: [...new Set(all.map((page) => page.language))].filter((found) => found !== null),
      tables: all.reduce((sum, { tables }) => sum + tables.length, 0),
      warnings: all
        .flatMap(({ page, warnings }) => warnings.map((text) => ({ page, text })))
        .slice(0, mostWarnings),
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
