import { usageError } from "../errors/cli-error.ts";

export interface StagePath {
  readonly pipeline: string;
  readonly stage: string;
}

/** "pipeline/stage"; a stage alone would be ambiguous. */
export function readStagePath(text: string): StagePath {
  const [, pipeline, stage] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (pipeline === undefined || stage === undefined) {
    throw usageError(`"${text}" is not a stage.`, "Give pipeline and stage as PIPELINE/STAGE.");
  }
  return { pipeline, stage };
}
