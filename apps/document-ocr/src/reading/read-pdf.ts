import { rm } from "node:fs/promises";
import type { ReadingMessage } from "./child-protocol.ts";
import type { Language } from "./languages.ts";
import type { OcrSettings } from "./ocr-settings.ts";
import type { PageText } from "./page-text.ts";
import type { ReadingLimits } from "./reading-limits.ts";
import { runReadingTask } from "./run-reading-task.ts";

/**
 * Reads every page that is not among `donePages`: from its text layer, or from its picture. Hands over each page as
 * soon as it is read, one at a time, so that a later try can go on from there.
 */
export async function readPdf(options: {
  readonly file: string;
  readonly folder: string;
  readonly limits: ReadingLimits;
  readonly ocr: OcrSettings;
  /** To read in; null: each page in the language that it turns out to be in. */
  readonly language: Language | null;
  readonly donePages: ReadonlyMap<number, PageText>;
  onPage(page: PageText): Promise<void>;
  onPages(count: number): void;
  readonly signal: AbortSignal;
}): Promise<PageText[]> {
  const { file, folder, limits, ocr, language, donePages, onPage, onPages } = options;
  const pages = new Map(donePages);
  const failure = new AbortController();
  const signal = AbortSignal.any([options.signal, failure.signal]);
  let handedOver: Promise<void> = Promise.resolve();

  const take = async ({ page, imageFile }: Extract<ReadingMessage, { kind: "page" }>) => {
    signal.throwIfAborted();
    const read =
      imageFile === null || ocr.model === null ? page : await ocr.model.read(page, imageFile, signal);
    if (imageFile !== null) await rm(imageFile, { force: true });
    await onPage(read);
    pages.set(read.page, read);
  };

  const task = runReadingTask(
    {
      task: "read",
      file,
      folder,
      limits,
      pagesAtOnce: ocr.pagesAtOnce,
      donePages: [...donePages.keys()],
      wantsImages: ocr.model !== null,
      language,
    },
    {
      signal,
      onMessage: (message) => {
        if (message.kind === "pages") onPages(message.count);
        if (message.kind !== "page") return;
        handedOver = handedOver.then(() => take(message));
        handedOver.catch((error) => failure.abort(error));
      },
    },
  );
  try {
    await task;
  } finally {
    // What was read before a failure is kept too.
    await handedOver.catch(() => {});
  }
  await handedOver;
  return [...pages.values()].sort((one, other) => one.page - other.page);
}
