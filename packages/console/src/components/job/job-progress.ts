import type { JobSummary } from "../../api/contract.ts";

export interface ShownProgress {
  /** Over all stages, 0 to 100. */
  readonly percent: number;
  /** Counted from 1. */
  readonly stage: number;
  readonly stages: number;
}

type Progressing = Pick<JobSummary, "status" | "stage" | "progress">;

/** How far a job is: the stages behind it, and of the present one what its handler reported. */
export function jobProgress(job: Progressing, stages: readonly string[]): ShownProgress {
  const count = Math.max(1, stages.length);
  const index = Math.max(0, stages.indexOf(job.stage));
  if (job.status === "completed") return { percent: 100, stage: count, stages: count };
  const within = job.status === "processing" || job.status === "failed" ? (job.progress?.percent ?? 0) : 0;
  return { percent: ((index + Math.min(100, within) / 100) / count) * 100, stage: index + 1, stages: count };
}
