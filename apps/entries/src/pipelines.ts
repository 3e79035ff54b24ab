import { entriesProcess } from "./entries-process.ts";
import { processEntry } from "./process-entry.ts";

/** For `lockstep work` and `lockstep dev`: they find it here. Its stages write to the entries of DATABASE_URL. */
export const entryPipeline = processEntry(() => {
  const { db, config } = entriesProcess();
  return { db, stageWorkMs: config.stageWorkMs };
});
