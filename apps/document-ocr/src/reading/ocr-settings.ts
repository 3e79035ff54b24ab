import type { PageModel } from "./page-model.ts";

export interface OcrSettings {
  /** Pages of one document that are read side by side. Each takes a core and about 120 MiB. */
  readonly pagesAtOnce: number;
  /** Reads pages that have no text layer, after the local reading; null leaves it at the local one. */
  readonly model: PageModel | null;
}
