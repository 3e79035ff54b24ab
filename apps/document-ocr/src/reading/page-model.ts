import type { PageText } from "./page-text.ts";

/** Reads the picture of a page. */
export interface PageModel {
  /** Is handed what was read locally, which gives its words their places; `imageFile` is a PNG. */
  read(local: PageText, imageFile: string, signal: AbortSignal): Promise<PageText>;
}
