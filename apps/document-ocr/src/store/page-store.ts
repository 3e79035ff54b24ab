import type { PageText } from "../reading/page-text.ts";
import type { OcrDatabase } from "./ocr-database.ts";

/** Which pages are meant: those of a document, as read under certain settings. */
export interface PagesKey {
  readonly sha256: string;
  /** Names the settings: under others a page may come out differently, and is read again. */
  readonly reading: string;
}

export type PageSummary = Pick<PageText, "page" | "source" | "confidence" | "language" | "warnings"> & {
  readonly tables: number;
};

/** The pages that were read, each stored as soon as it is read: the next try continues from there, in any process. */
export class PageStore {
  readonly #db: OcrDatabase;

  constructor(db: OcrDatabase) {
    this.#db = db;
  }

  /** A page that is there already stays as it is: two that read it at once have read the same. */
  async save(
    { sha256, reading }: PagesKey,
    page: PageText,
    by: { jobId: string; worker: string },
  ): Promise<void> {
    await this.#db.rows(
      `insert into document_ocr.pages (sha256, reading, page, content, job_id, read_by)
       values ($1, $2, $3, $4, $5, $6)
       on conflict do nothing`,
      [sha256, reading, page.page, JSON.stringify(page), by.jobId, by.worker],
    );
  }

  /** One of them; null: it is not read yet. */
  async page({ sha256, reading }: PagesKey, page: number): Promise<PageText | null> {
    const [row] = await this.#db.rows<{ content: PageText }>(
      "select content from document_ocr.pages where sha256 = $1 and reading = $2 and page = $3",
      [sha256, reading, page],
    );
    return row?.content ?? null;
  }

  /** What a list of them shows, by number. */
  async summaries({ sha256, reading }: PagesKey): Promise<PageSummary[]> {
    return await this.#db.rows<PageSummary>(
      `select page, content ->> 'source' as source, (content ->> 'confidence')::float8 as confidence,
         content ->> 'language' as language, content -> 'warnings' as warnings,
         json_array_length(content -> 'tables') as tables
       from document_ocr.pages where sha256 = $1 and reading = $2 order by page`,
      [sha256, reading],
    );
  }

  /** By their number, in order. */
  async pages({ sha256, reading }: PagesKey): Promise<Map<number, PageText>> {
    const rows = await this.#db.rows<{ page: number; content: PageText }>(
      "select page, content from document_ocr.pages where sha256 = $1 and reading = $2 order by page",
      [sha256, reading],
    );
    return new Map(rows.map(({ page, content }) => [page, content]));
  }
}
