import { z } from "zod";
import { definePipeline } from "./native-packages.ts";
import { processEntryName } from "./process-entry-name.ts";
import { type EntryStageParts, entryStage } from "./stages/entry-stage.ts";

const options = { processors: 10, timeoutMs: 120_000, maxAttempts: 3 };

/** CREATED → STAGE_1 → STAGE_2 → COMPLETED. The parts are asked for when a stage runs, so that defining needs no database. */
export function processEntry(parts: () => EntryStageParts | Promise<EntryStageParts>) {
  return definePipeline(processEntryName, { payload: z.object({ entryId: z.uuid() }) })
    .stage(
      "stage-1",
      options,
      entryStage(parts, () => ({ status: "STAGE_1", progress: 33 })),
    )
    .stage(
      "stage-2",
      options,
      entryStage(parts, () => ({ status: "STAGE_2", progress: 66 })),
    )
    .stage(
      "complete",
      options,
      entryStage(parts, () => ({
        status: "COMPLETED",
        progress: 100,
        result: `Processed at ${new Date().toISOString()}`,
      })),
    );
}
