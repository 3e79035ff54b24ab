import type { StageOptions } from "lockstep";
import type { DocumentOcrConfig } from "./document-ocr-config.ts";
import { documentOcrPipeline } from "./document-ocr-pipeline.ts";
import { chooseReading } from "./services/choose-reading.ts";
import { DocumentFetcher } from "./services/document-fetcher.ts";
import type { Reading } from "./services/reading.ts";
import { RegisterClient } from "./services/register-client.ts";
import { DeletedDocuments } from "./store/deleted-documents.ts";
import { FileStore } from "./store/file-store.ts";
import { OcrDatabase } from "./store/ocr-database.ts";
import { PageStore } from "./store/page-store.ts";

/** The pipeline and what it works with. */
export class DocumentOcrApp {
  readonly files: FileStore;
  readonly pages: PageStore;
  readonly deleted: DeletedDocuments;
  readonly reading: Reading;
  /** Null: none is configured. */
  readonly register: RegisterClient | null;
  readonly pipeline: ReturnType<typeof documentOcrPipeline>;
  readonly #db: OcrDatabase;

  constructor(
    config: DocumentOcrConfig,
    databaseUrl: () => Promise<string>,
    { reading = chooseReading(config), retry }: { reading?: Reading; retry?: StageOptions["retry"] } = {},
  ) {
    this.#db = new OcrDatabase(databaseUrl);
    this.files = new FileStore(this.#db, { quotaBytes: config.storeBytes, keepDays: config.keepDays });
    this.register = config.register === null ? null : new RegisterClient(config.register);
    const fetcher = new DocumentFetcher({
      files: this.files,
      watchFolder: config.watchFolder,
      register: this.register,
      allow: config.fetchAllow,
      timeoutMs: config.fetchTimeoutMs,
    });
    this.pages = new PageStore(this.#db);
    this.deleted = new DeletedDocuments(this.#db);
    this.reading = reading;
    const parts = { fetcher, files: this.files, pages: this.pages, reading };
    this.pipeline = documentOcrPipeline(parts, { documentsAtOnce: config.documentsAtOnce, retry });
  }

  /** Makes the tables and the view of the queue, for those who look at them before the first document comes. */
  prepare(): Promise<void> {
    return this.#db.prepare();
  }

  close(): Promise<void> {
    return this.#db.close();
  }
}
