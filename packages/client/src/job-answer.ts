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
