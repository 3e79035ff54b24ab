import type { TextModel } from "../boosting/text-model.ts";
import type { DocumentOcrConfig } from "../document-ocr-config.ts";
import { inspectPdf } from "../reading/inspect-pdf.ts";
import { readPdf } from "../reading/read-pdf.ts";
import { defaultReadingLimits } from "../reading/reading-limits.ts";
import { buildResults } from "../results/build-results.ts";
import type { AskOnce, Reading } from "./reading.ts";

/** To be raised whenever the same page would be read differently: what was kept until then is read again. */
const version = 3;

/** Reading on this machine, with a model beside it where there is a key. What is heavy is loaded when it is needed. */
export function chooseReading({
  pagesAtOnce,
  model,
}: Pick<DocumentOcrConfig, "pagesAtOnce" | "model">): Reading {
  const limits = defaultReadingLimits;

  const pageModel = async () => {
    if (model === null) return null;
    const { geminiPageModel } = await import("../models/gemini-page-model.ts");
    return geminiPageModel(model);
  };
  const textModel = async (askOnce: AskOnce) => {
    if (model === null) return null;
    const { geminiTextModel } = await import("../models/gemini-text-model.ts");
    const { improve } = geminiTextModel(model);
    return { improve: (text, about) => askOnce(about.page, () => improve(text, about)) } satisfies TextModel;
  };

  return {
    keyFor: (language) =>
      `${version}, ${limits.dpi} dpi, ${model?.name ?? "local"}, ${language ?? "any language"}`,
    inspect: (file, signal) => inspectPdf(file, limits, signal),
    read: async (options) =>
      readPdf({ ...options, limits, ocr: { pagesAtOnce, model: await pageModel() }, onPages: () => {} }),
    boost: async (pages, { askOnce, signal }) => {
      const { boostText } = await import("../boosting/boost-text.ts");
      return boostText(pages, { signal, model: await textModel(askOnce) });
    },
    build: (options) => buildResults({ ...options, limits }),
  };
}
