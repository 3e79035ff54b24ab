import type { DocumentFetcher } from "./services/document-fetcher.ts";
import type { Reading } from "./services/reading.ts";
import type { FileStore } from "./store/file-store.ts";
import type { PageStore } from "./store/page-store.ts";

/** What the stages work with. */
export interface OcrParts {
  readonly fetcher: Pick<DocumentFetcher, "get">;
  readonly files: Pick<FileStore, "save" | "read" | "copyTo">;
  readonly pages: Pick<PageStore, "pages" | "save">;
  readonly reading: Reading;
}
