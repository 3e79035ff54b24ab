/** A page's text made better to read. */
export interface BoostedPage {
  readonly page: number;
  /** Paragraph by paragraph, an empty line between them. */
  readonly text: string;
  readonly source: "local" | "model";
  readonly corrections: readonly Correction[];
  /** What a reader should know, such as why a model's text was not taken; null when there is nothing. */
  readonly note: string | null;
}

export interface Correction {
  /** The place of the word among those of its page, from 0. */
  readonly word: number;
  readonly from: string;
  readonly to: string;
}
