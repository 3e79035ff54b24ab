import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import type { Claim } from "../../store/working/claim.ts";
import { BatchCall } from "./batch-call.ts";
import { JobRun, type JobRunParts } from "./job-run.ts";

/** The attempts of jobs that one processor runs: one, or those of one call of a batch handler. */
export function runsOf(claims: readonly Claim[], stage: WorkStage, parts: JobRunParts): JobRun[] {
  const isBatch = stage.definition.batch !== undefined;
  const call = isBatch ? new BatchCall(stage, claims, parts.tracing ?? null) : null;
  return claims.map((claim) => new JobRun(claim, stage, parts, call));
}
