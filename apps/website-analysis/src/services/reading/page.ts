/** What was read from the web, and how it got here. */
export interface Page {
  /** Where the redirects ended. */
  readonly url: string;
  readonly redirects: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly charset: string;
  readonly sizeBytes: number;
  readonly html: string;
}
