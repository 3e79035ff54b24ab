import {
  provableDocuments,
  proveDocument,
} from "../../apps/document-ocr/src/test-support/prove/prove-document.ts";
import type { LongSuite } from "./long-suite.ts";

/** Once over all documents, however long that takes: a part of them would show nothing about the rest. */
export const ocrSuite: LongSuite = {
  name: "ocr",
  sentence:
    "Every document of the OCR corpus and of the held-out kinds, in seven languages, once: none is read with more errors than its kind may have, and pdftotext of the searchable PDF is within one point of what was read.",
  run: async ({ tell }) => {
    const figures = { documents: 0, pages: 0, worstInTenThousand: 0 };
    const failures: string[] = [];
    for (const document of provableDocuments()) {
      const { pages, read, problems } = await proveDocument(document);
      figures.documents += 1;
      figures.pages += pages;
      figures.worstInTenThousand = Math.max(figures.worstInTenThousand, Math.round(read * 10_000));
      for (const problem of problems) {
        failures.push(problem);
        tell(problem);
      }
    }
    return { figures, failures, replay: "npm run prove:reading -w apps/document-ocr" };
  },
};
