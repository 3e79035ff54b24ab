/** What the realtime log tells of a job. */
export type JobEventKind =
  | "job.added"
  | "job.claimed"
  | "job.progress"
  | "job.advanced"
  | "job.skipped"
  | "job.branched"
  | "job.completed"
  | "job.retrying"
  | "job.failed"
  | "job.snoozed"
  | "job.released"
  | "job.lost"
  | "job.cancel_requested"
  | "job.cancelled"
  | "job.retried"
  | "job.waiting"
  | "job.signalled"
  | "job.signal_kept"
  | "job.timed_out"
  | "job.slept";

/** One entry of the realtime log. */
export interface JobEvent {
  readonly kind: JobEventKind;
  /** Pass it as `after` to go on reading right after this event. */
  readonly cursor: string;
  readonly at: Date;
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly owner: string | null;
  readonly detail: JobEventDetail;
}

/** What there is to tell beside the kind; each kind has its own parts. */
export interface JobEventDetail {
  readonly attempt?: number;
  readonly nextStage?: string;
  /** Of a wait: what it is for, until when it lasts, and who signalled. */
  readonly signal?: string;
  readonly until?: string;
  readonly by?: string;
  readonly error?: { readonly name?: string; readonly message?: string };
  readonly percent?: number;
  readonly note?: string;
  readonly data?: unknown;
  readonly result?: unknown;
  /** The result is there, but too large for the log: `engine.get(jobId)` has it. */
  readonly resultLeftOut?: true;
}

/**
 * Events before this place are not available: they were deleted before they were read, or PostgreSQL has crashed, failed over
 * or was restored since the cursor was given. If you derive anything from events, read the jobs again.
 */
export interface EventsReset {
  readonly kind: "events.reset";
  readonly cursor: string;
}

/** An entry of the realtime log, or word that entries before it are gone. */
export type LoggedEvent = JobEvent | EventsReset;
