import type { PageText } from "../reading/page-text.ts";
import { boostPage } from "./boost-page.ts";
import type { BoostedPage } from "./boosted-page.ts";
import { dictionaryFor } from "./dictionary.ts";
import { improveByModel } from "./improve-by-model.ts";
import type { TextModel } from "./text-model.ts";

/** Makes the text of each page better to read: by rules and a dictionary, and by a model where there is one. */
export async function boostText(
  pages: readonly PageText[],
  {
    model = null,
    signal = new AbortController().signal,
  }: { model?: TextModel | null; signal?: AbortSignal } = {},
): Promise<BoostedPage[]> {
  const boosted: BoostedPage[] = [];
  for (const page of pages) {
    signal.throwIfAborted();
    const local = boostPage(page, dictionaryFor(page.language));
    boosted.push(model === null ? local : await improveByModel(local, model, signal));
  }
  return boosted;
}
