/** The status of a job; the last three are final. */
export type JobStatus =
  | "scheduled"
  | "pending"
  | "processing"
  | "retrying"
  | "completed"
  | "failed"
  | "cancelled";

/** What PostgreSQL answers when a worker ends a claim. */
export type Settled = "applied" | "already_applied" | "lease_lost";

declare const resultOf: unique symbol;

/** A job's id that remembers what type its result has. Any string will do where the result is unknown. */
export type JobId<Result = unknown> = string & { readonly [resultOf]?: () => Result };

/** What is recorded of an error and of each of its causes. */
export interface ErrorCause {
  readonly name: string;
  readonly message: string;
  /** Its own; its causes have theirs. */
  readonly stack?: string;
  readonly code?: string;
  readonly cause?: ErrorCause;
  /** Its cause was too deep down or too large to be stored. */
  readonly hasMoreCauses?: boolean;
  /** The first errors of an AggregateError. */
  readonly errors?: readonly ErrorCause[];
  /** How many more of them there were. */
  readonly moreErrors?: number;
}

/** The error with which an attempt failed. */
export interface JobError extends ErrorCause {
  /** Set when the failure was not to be retried, whatever attempts were left. */
  readonly permanent?: boolean;
}

/** What the handler has last reported with `progress`. */
export interface JobProgress {
  readonly percent: number;
  readonly note: string | null;
  readonly data: unknown;
}

/** How much a line of a log matters. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A line that a handler wrote with its `log`. */
export interface AttemptLogLine {
  readonly at: Date;
  readonly level: LogLevel;
  readonly message: string;
  readonly data?: unknown;
}

/** How an attempt ended; `processing` while it runs. */
export type AttemptOutcome =
  | "done"
  | "skipped"
  | "branched"
  | "failed"
  | "timeout"
  | "lost"
  | "released"
  | "snoozed"
  | "cancelled"
  | "processing";

/** One attempt of one stage. */
export interface Attempt {
  readonly stage: string;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
  readonly workerId: string;
  readonly claimedAt: Date;
  readonly endedAt: Date | null;
  readonly error?: JobError;
  readonly log?: readonly AttemptLogLine[];
}

/** The wait that a job is in. */
export interface JobWait {
  readonly kind: "wait" | "sleep";
  /** The name to signal; null for a sleep. */
  readonly signal: string | null;
  readonly since: Date;
  /** When a sleep is over, or a wait times out; null: it waits as long as it takes. */
  readonly until: Date | null;
  /** "fail", "continue" or the name of a later stage; null for a sleep. */
  readonly onTimeout: string | null;
  readonly notBy: "owner" | null;
  /** JSON Schema of the signal, where its validator can give one. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** While it is paused, nothing gets through; a signal is kept. */
  readonly pausedAt: Date | null;
}

/** A wait that has ended. */
export interface PastWait {
  readonly stage: string;
  readonly outcome: "signalled" | "timed_out" | "slept";
  readonly since: Date;
  readonly endedAt: Date;
  /** Who signalled, if they said so. */
  readonly by: string | null;
}

/** A job as a list shows it. */
export interface JobSummary {
  readonly id: JobId;
  readonly pipeline: string;
  readonly stage: string;
  readonly status: JobStatus;
  readonly priority: number;
  /** The attempt the job is at in its stage; 0 before the first claim. */
  readonly attempt: number;
  /** Attempts of this stage that ended because their worker died. */
  readonly losses: number;
  readonly error: JobError | null;
  readonly progress: JobProgress | null;
  readonly owner: string | null;
  readonly groupKey: string | null;
  readonly dedupKey: string | null;
  /** The batch it is part of. */
  readonly batchId: string | null;
  readonly tags: readonly string[];
  readonly addedAt: Date;
  readonly scheduledFor: Date | null;
  readonly claimedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
  readonly workerId: string | null;
  /** Which error it failed with, as the `error` of a filter takes it; null unless it failed. */
  readonly fingerprint: string | null;
  /** Another one after every move, for `ifVersion` of `cancel` and `retry`; progress does not change it. */
  readonly version: string;
}

/** A job with all it carries. */
export interface Job<Result = unknown> extends JobSummary {
  readonly id: JobId<Result>;
  readonly payload: unknown;
  /** What each finished stage returned, by stage name. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** What the last stage returned, or `finish`; null until the job is completed. */
  readonly result: Result | null;
  readonly attempts: readonly Attempt[];
  /** The finished job that this one runs again from one of its stages; null: it is not a fork. */
  readonly forkedFrom: JobId | null;
  /** The job that added this one as a child; null: none did. */
  readonly parentId: JobId | null;
  /** Its name among the branches of its parent; null: it is none. */
  readonly branch: string | null;
  /** What it waits for now, where that is a signal or the end of a sleep. */
  readonly wait: JobWait | null;
  /** The waits that it has behind it, oldest first. */
  readonly waits: readonly PastWait[];
  /** How large the payload is as JSON. */
  readonly payloadBytes: number;
  /** Which of payload, outputs and result are not here because they are larger than 256 KiB: only where it was asked so. */
  readonly leftOut: readonly ("payload" | "outputs" | "result")[];
}

/** The answer to an add: `created` is false when the job already existed, by its dedup key or its id. */
export interface Added<Result = unknown> {
  readonly id: JobId<Result>;
  readonly created: boolean;
  /** Null: a dedup key with a time led to a job that has finished and is past its retention. */
  readonly status: JobStatus | null;
}
