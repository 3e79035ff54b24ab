export type Status =
  | "scheduled"
  | "pending"
  | "processing"
  | "retrying"
  | "completed"
  | "failed"
  | "cancelled";

/** The pipeline of the model: a stage with room for everything, one that forgives nothing, one in between. */
export const modelStages = [
  { name: "read", maxAttempts: 3, maxLosses: 3, retryBaseMs: 10_000 },
  { name: "shape", maxAttempts: 1, maxLosses: 1, retryBaseMs: 10_000 },
  { name: "write", maxAttempts: 2, maxLosses: 2, retryBaseMs: 20_000 },
] as const;

export const leaseMs = 30_000;
export const cancelGraceMs = 30_000;

/** An attempt that ended, or the mark of a retry by hand (attempt null). */
export interface EndedAttempt {
  readonly stage: number;
  readonly attempt: number | null;
  readonly outcome: string;
  readonly token: string | null;
}

/** A job as both sides show it. Times are milliseconds since the run began. */
export interface ShownJob {
  id: string;
  status: Status;
  stage: number;
  priority: number;
  attempt: number;
  losses: number;
  isSuspect: boolean;
  token: string | null;
  workerId: string | null;
  /** When it is due, while it waits for that. */
  dueAtMs: number | null;
  cancelAskedAtMs: number | null;
  progress: number | null;
  /** What each stage returned, by number: the token of the claim that ended it. */
  outputs: Record<number, string>;
  result: string | null;
  history: EndedAttempt[];
  finishedAtMs: number | null;
  /** Of its last attempt, where others ended that: lost or forced. */
  lastOutcome: string | null;
}

export interface ShownWorker {
  id: string;
  leaseUntilMs: number;
  isLost: boolean;
}

/** What an end of an attempt says, as settle_jobs takes it. */
export interface End {
  readonly outcome: "done" | "retry" | "give_up" | "snooze" | "release";
  readonly delayMs?: number;
}

export interface Claim {
  readonly jobId: string;
  readonly token: string;
  readonly workerId: string;
}

export type Settled = "applied" | "already_applied" | "lease_lost";

export const isFinished = ({ finishedAtMs }: Pick<ShownJob, "finishedAtMs">) => finishedAtMs !== null;
