/** A job held by this worker for one attempt of one stage. */
export interface Claim {
  readonly jobId: string;
  readonly stageId: number;
  readonly token: string;
  readonly attempt: number;
  readonly priority: number;
  readonly position: number;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly payload: unknown;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly more: ClaimMore | null;
}

/** The job, and which of its claims. */
export type ClaimKey = Pick<Claim, "jobId" | "token">;

/** What tells one claim from all others. */
export type HeldClaim = Pick<Claim, "jobId" | "token" | "stageId" | "attempt">;

/** What most jobs do not have. */
export interface ClaimMore {
  readonly groupKey: string | null;
  readonly batchId: string | null;
  /** The W3C traceparent of its add. */
  readonly trace: string | null;
  /** Its number in the order of a claim by turns. */
  readonly turn: number | null;
}

/** How one claim ended, ready to be sent: the value is JSON text. */
export interface Settlement {
  readonly jobId: string;
  readonly token: string;
  readonly outcome: "done" | "finish" | "skip" | "retry" | "give_up" | "snooze" | "release";
  readonly value: string | null;
  readonly delayMs: number | null;
  readonly timedOut: boolean;
  /** The next stage, when this worker has a processor free for it. */
  readonly keepIn: number | null;
  readonly log: string | null;
}

/** What one stage asks of a claim. */
export interface StageRequest {
  readonly stageId: number;
  /** How many waiting jobs to claim. */
  readonly room: number;
  /** How many jobs that end the stage before it, in the same call, may go on with this one at once. */
  readonly keep: number;
  /** The position last claimed from, for each of the twenty priorities. */
  readonly places: readonly number[];
  /** 0: from the place on; 1: then from the start when short; 2: from the start. */
  readonly scan: 0 | 1 | 2;
  readonly dueAfter: string | null;
}
