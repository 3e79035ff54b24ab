import { documentsForTwo } from "../../apps/document-ocr/src/test-support/prove/corpus-documents.ts";
import {
  provableDocuments,
  proveDocument,
} from "../../apps/document-ocr/src/test-support/prove/prove-document.ts";
import { ProvingGround } from "../../apps/document-ocr/src/test-support/prove/proving-ground.ts";
import { twoWorkers } from "../../apps/document-ocr/src/test-support/prove/two-workers.ts";
import type { LongSuite } from "./long-suite.ts";

/** Once over all documents, however long that takes: a part of them would show nothing about the rest. */
export const ocrSuite: LongSuite = {
  name: "ocr",
  sentence:
    "Every document of the OCR corpus and of the held-out kinds, in seven languages, once: none is read with more errors than its kind may have, and pdftotext of the searchable PDF is within one point of what was read. Then two workers beside one over four documents: at most 0.6 of its time, with a core each.",
  run: async ({ tell }) => {
    const figures = { documents: 0, pages: 0, worstInTenThousand: 0 };
    const failures: string[] = [];
    const documents = provableDocuments();
    for (const document of documents) {
      const { pages, read, problems } = await proveDocument(document);
      figures.documents += 1;
      tell(
        `${figures.documents} of ${documents.length}: ${document.name}, ${(read * 100).toFixed(2)} % wrong`,
      );
      figures.pages += pages;
      figures.worstInTenThousand = Math.max(figures.worstInTenThousand, Math.round(read * 10_000));
      for (const problem of problems) {
        failures.push(problem);
        tell(problem);
      }
    }
    const { figures: ofTwo, problems } = await proveTwoWorkers(tell);
    failures.push(...problems);
    const replay = `npm run prove${problems.length === 0 ? ":reading" : ""} -w apps/document-ocr`;
    return { figures: { ...figures, ...ofTwo }, failures, replay };
  },
};

async function proveTwoWorkers(tell: (text: string) => void) {
  const ground = await ProvingGround.open();
  try {
    const { ratio, ratioOfWork, problems } = await twoWorkers(ground, await documentsForTwo(), tell);
    const inHundredths = (share: number) => Math.round(share * 100);
    const figures = {
      twoWorkersInHundredths: inHundredths(ratio),
      ...(ratioOfWork === null ? {} : { twoWorkersByWorkInHundredths: inHundredths(ratioOfWork) }),
    };
    return { figures, problems };
  } finally {
    await ground.close();
  }
}
