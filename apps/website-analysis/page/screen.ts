/** One of the page's screens. */
export interface Screen {
  readonly title: string;
  readonly content: readonly HTMLElement[];
  /** Called when something has happened to the visitor's analyses, and every few seconds while one waits. */
  readonly update?: () => Promise<void>;
  /** Called when another screen takes its place. */
  readonly close?: () => void;
}

export const dateText = (instant: string): string =>
  new Date(instant).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
