/** What the realtime log tells of a job. */
export type JobEventKind =
  | "job.added"
  | "job.claimed"
  | "job.progress"
  | "job.advanced"
  | "job.completed"
  | "job.retrying"
  | "job.failed"
  | "job.snoozed"
  | "job.released"
  | "job.lost"
  | "job.cancel_requested"
  | "job.cancelled"
  | "job.retried";

/** One entry of the realtime log. */
export interface JobEvent {
  readonly kind: JobEventKind;
  /** Reading goes on right after this event from here. */
  readonly cursor: string;
  readonly at: Date;
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly owner: string | null;
  readonly detail: JobEventDetail;
}

/** What there is to tell beside the kind; which parts, depends on it. */
export interface JobEventDetail {
  readonly attempt?: number;
  readonly nextStage?: string;
  readonly error?: { readonly name?: string; readonly message?: string };
  readonly percent?: number;
  readonly note?: string;
  readonly data?: unknown;
  readonly result?: unknown;
  /** The result is there, but too large for the log: `engine.get(jobId)` has it. */
  readonly resultLeftOut?: true;
}

/** Events before this place were deleted before they were read: whoever builds on them should look at the jobs anew. */
export interface EventsPruned {
  readonly kind: "events.pruned";
  readonly cursor: string;
}

export type LoggedEvent = JobEvent | EventsPruned;
