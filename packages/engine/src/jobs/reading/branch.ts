import type { OnFailure } from "../adding/fan-out.ts";
import type { JobId, JobStatus } from "./job.ts";

/** A child whose result a stage of its parent waits for, or has waited for. */
export interface Branch {
  /** The stage of the parent. */
  readonly stage: string;
  /** Its name in that stage; null: the stage ran a single child. */
  readonly branch: string | null;
  readonly jobId: JobId;
  /** Null, like the status: it is past its retention. */
  readonly pipeline: string | null;
  readonly status: JobStatus | null;
  readonly onFailure: OnFailure;
  /** Children that began together have one batch; a stage that ran again has several. */
  readonly batchId: string;
  readonly beganAt: Date;
  readonly finishedAt: Date | null;
}
