import type { BoostedPage } from "../boosting/boosted-page.ts";
import type { PageText } from "../reading/page-text.ts";

/** What the stages ask of the reader; the heavy part of it runs in a process of its own. */
export interface Reading {
  /** Names the settings that decide what is read: with others, pages are read again. */
  readonly key: string;
  /** Refuses what cannot be read, or must not be. */
  inspect(file: string, signal: AbortSignal): Promise<{ pages: number }>;
  read(options: ReadOptions): Promise<PageText[]>;
  boost(
    pages: readonly PageText[],
    options: { readonly askOnce: AskOnce; readonly signal: AbortSignal },
  ): Promise<BoostedPage[]>;
  build(options: BuildOptions): Promise<{ searchablePdf: Uint8Array; text: string; json: object }>;
}

export interface ReadOptions {
  readonly file: string;
  readonly folder: string;
  readonly donePages: ReadonlyMap<number, PageText>;
  onPage(page: PageText): Promise<void>;
  readonly signal: AbortSignal;
}

export interface BuildOptions {
  readonly pages: readonly PageText[];
  readonly boosted: readonly BoostedPage[];
  readonly file: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Asks a model about a page, unless an earlier try of the job was answered already. */
export type AskOnce = (page: number, ask: () => Promise<string>) => Promise<string>;
