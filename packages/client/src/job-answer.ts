/** What lies behind an error, in as many steps as were kept. */
export interface ErrorCause {
  name?: string | undefined;
  message?: string | undefined;
  stack?: string | undefined;
  code?: string | undefined;
  /** Its cause was nested too deeply or was too large to be kept. */
  hasMoreCauses?: boolean | undefined;
  /** How many more than `errors` there were. */
  moreErrors?: number | undefined;
  cause?: ErrorCause | undefined;
  errors?: readonly ErrorCause[] | undefined;
}

/** The error with which an attempt failed; permanent when it was not to be retried. */
export interface JobErrorAnswer extends ErrorCause {
  permanent?: boolean | undefined;
}

/** An attempt of a job: which stage, by whom, and how it ended. */
export interface AttemptAnswer {
  stage: string;
  attempt: number;
  outcome:
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
  workerId: string;
  claimedAt: string;
  endedAt: string | null;
  error?: JobErrorAnswer | undefined;
  log?:
    | readonly { at: string; level: "debug" | "info" | "warn" | "error"; message: string; data: unknown }[]
    | undefined;
}

/** What a job waits for now. */
export interface WaitAnswer {
  kind: "wait" | "sleep";
  /** What to signal; null for a sleep. */
  signal: string | null;
  since: string;
  /** When a sleep is over, or a wait times out; null: it waits as long as it takes. */
  until: string | null;
  /** "fail", "continue" or the name of a later stage; null for a sleep. */
  onTimeout: string | null;
  /** Who cannot signal it. */
  notBy: "owner" | null;
  /** JSON Schema of the signal, if its validator can produce one. */
  schema: Record<string, unknown> | null;
  /** While it is paused nothing gets through; a signal is kept. */
  pausedAt: string | null;
}

/** A wait that has ended. */
export interface PastWaitAnswer {
  stage: string;
  outcome: "signalled" | "timed_out" | "slept";
  since: string;
  endedAt: string;
  /** Who signalled, if they said so. */
  by: string | null;
}

/** What became of a signal: the job goes on, or the signal is kept until it may. */
export interface SignalledAnswer {
  id: string;
  answer: "signalled" | "kept";
}

/**
 * A job with all it carries, as a server answers. Written down here and not taken from the server's contract, so that a browser's
 * package depends on nothing; a test compares the two.
 */
export interface JobAnswer {
  id: string;
  pipeline: string;
  stage: string;
  status: "scheduled" | "pending" | "processing" | "retrying" | "completed" | "failed" | "cancelled";
  priority: number;
  attempt: number;
  losses: number;
  error: JobErrorAnswer | null;
  progress: { percent: number; note: string | null; data: unknown } | null;
  owner: string | null;
  dedupKey: string | null;
  tags: readonly string[];
  /** Instants are text: RFC 3339 in UTC with milliseconds. */
  addedAt: string;
  scheduledFor: string | null;
  claimedAt: string | null;
  finishedAt: string | null;
  cancelRequestedAt: string | null;
  workerId: string | null;
  groupKey: string | null;
  batchId: string | null;
  /** Of its error; for `error:` in a filter. */
  fingerprint: string | null;
  payload: unknown;
  /** What each finished stage returned. */
  outputs: Record<string, unknown>;
  /** What the last stage returned, or `finish`; null until the job is completed. */
  result: unknown;
  attempts: readonly AttemptAnswer[];
  /** What it waits for now: a signal, or the end of a sleep. */
  wait: WaitAnswer | null;
  /** The waits that it has behind it, oldest first. */
  waits: readonly PastWaitAnswer[];
  /** The finished job that this one runs again from one of its stages. */
  forkedFrom: string | null;
  /** The job that added this one as a child. */
  parentId: string | null;
  /** Its name among the branches of its parent. */
  branch: string | null;
  /** How large the payload is as JSON. */
  payloadBytes: number;
  /** Left out because it is larger than 256 KiB. */
  leftOut: readonly ("payload" | "outputs" | "result")[];
  /** Changes with every move; progress does not change it. */
  version: string;
  /** This access may not see the payload, outputs, result and other data of handlers. */
  isPayloadHidden: boolean;
  /** JSON pointers to what is hidden from all in the payload. */
  hiddenInPayload: readonly string[];
}
