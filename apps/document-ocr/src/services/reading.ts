import type { BoostedPage } from "../boosting/boosted-page.ts";
import type { Language } from "../reading/languages.ts";
import type { PageText } from "../reading/page-text.ts";
import type { Results } from "../results/build-results.ts";

/** What the stages ask of the reader; the heavy part of it runs in a process of its own. */
export interface Reading {
  /** Names the settings that decide what is read: with others, pages are read again. */
  keyFor(language: Language | null): string;
  /** Refuses what cannot be read, or must not be. */
  inspect(file: string, signal: AbortSignal): Promise<{ pages: number }>;
  read(options: ReadOptions): Promise<PageText[]>;
  boost(
    pages: readonly PageText[],
    options: { readonly askOnce: AskOnce; readonly signal: AbortSignal },
  ): Promise<BoostedPage[]>;
  build(options: BuildOptions): Promise<Results>;
}

export interface ReadOptions {
  readonly file: string;
  readonly folder: string;
  readonly donePages: ReadonlyMap<number, PageText>;
  /** Null: each page in the language that it turns out to be in. */
  readonly language: Language | null;
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
