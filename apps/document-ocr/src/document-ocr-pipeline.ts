import { definePipeline, type StageOptions } from "lockstep";
import { documentOcrPayload } from "./document-ocr-payload.ts";
import type { OcrParts } from "./ocr-parts.ts";
import { boostStage } from "./stages/boost-stage.ts";
import { extractionStage } from "./stages/extraction-stage.ts";
import { ocrStage } from "./stages/ocr-stage.ts";

/** The three stages. Each has its own limits: three tries, and three lost workers. */
export function documentOcrPipeline(
  parts: OcrParts,
  {
    documentsAtOnce,
    retry = { baseMs: 10_000, capMs: 600_000 },
  }: { documentsAtOnce: number; retry?: StageOptions["retry"] },
) {
  const each = { processors: documentsAtOnce, maxAttempts: 3, maxLosses: 3, retry };
  return (
    definePipeline("document-ocr", { payload: documentOcrPayload, events: true })
      .stage("extraction", { ...each, timeoutMs: 180_000 }, extractionStage(parts))
      // Every page has a limit of its own, so that a long document may take as long as its pages do.
      .stage("ocr", { ...each, timeoutMs: null }, ocrStage(parts))
      .stage("boost", { ...each, timeoutMs: 600_000 }, boostStage(parts))
  );
}
