import type { JobError } from "./job.ts";

/** A wait that a job has behind it, by PostgreSQL's clock: what a span tells. */
export interface EndedWait {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly outcome: string;
  readonly since: Date;
  readonly endedAt: Date;
  /** Why the job has failed with it. */
  readonly error: JobError | null;
  /** What the job was added with. */
  readonly trace: string | null;
}
