export type Status =
  | "scheduled"
  | "pending"
  | "processing"
  | "retrying"
  | "completed"
  | "failed"
  | "cancelled";

/** The pipelines that jobs are added to; the others are those of branches. */
export const modelPipelines = ["orders", "talks", "trees"] as const;
export type ModelPipeline = (typeof modelPipelines)[number];

interface ModelStage {
  readonly pipeline: ModelPipeline | "left" | "right";
  readonly name: string;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  readonly retryBaseMs: number;
  /** Set for a stage without a handler: how long a job waits there for a signal before it fails. */
  readonly waitMs?: number;
}

/**
 * The pipelines of the model. One has a stage with room for everything, one that forgives nothing, and one in between; one has a wait
 * between two stages; and one has branches, which are pipelines of their own.
 */
export const modelStages: readonly ModelStage[] = [
  { pipeline: "orders", name: "read", maxAttempts: 3, maxLosses: 3, retryBaseMs: 10_000 },
  { pipeline: "orders", name: "shape", maxAttempts: 1, maxLosses: 1, retryBaseMs: 10_000 },
  { pipeline: "orders", name: "write", maxAttempts: 2, maxLosses: 2, retryBaseMs: 20_000 },
  { pipeline: "talks", name: "ask", maxAttempts: 2, maxLosses: 3, retryBaseMs: 10_000 },
  { pipeline: "talks", name: "answer", maxAttempts: 3, maxLosses: 3, retryBaseMs: 0, waitMs: 50_000 },
  { pipeline: "talks", name: "tell", maxAttempts: 2, maxLosses: 3, retryBaseMs: 10_000 },
  { pipeline: "trees", name: "split", maxAttempts: 2, maxLosses: 3, retryBaseMs: 10_000 },
  { pipeline: "trees", name: "join", maxAttempts: 2, maxLosses: 3, retryBaseMs: 10_000 },
  { pipeline: "left", name: "left", maxAttempts: 2, maxLosses: 2, retryBaseMs: 10_000 },
  { pipeline: "right", name: "right", maxAttempts: 1, maxLosses: 3, retryBaseMs: 10_000 },
];

export const allStages: readonly number[] = modelStages.map((_, stage) => stage);
/** The stage in which jobs wait for a signal. */
export const waitStage = modelStages.findIndex(({ waitMs }) => waitMs !== undefined);

/** The stage that ends in branches, as workers run it. */
export const splitStage = modelStages.findIndex(({ name }) => name === "split");
/** If the first one does not complete, its parent fails; the second one is then only missing in what the parent gets. */
export const modelBranches = [
  { pipeline: "left", branch: "left", onFailure: "fail" },
  { pipeline: "right", branch: "right", onFailure: "ignore" },
] as const;

export const firstStage = (pipeline: string) => modelStages.findIndex((stage) => stage.pipeline === pipeline);
export const pipelineOf = (stage: number) => modelStages[stage]?.pipeline ?? "orders";
export const isLastStage = (stage: number) => pipelineOf(stage) !== modelStages[stage + 1]?.pipeline;

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
  /** What each stage returned, by number: the token of the claim that ended it, or the results of its branches. */
  outputs: Record<number, unknown>;
  result: unknown;
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

export interface Shown {
  jobs: ShownJob[];
  workers: ShownWorker[];
  streams: { id: string; lastEntry: number; texts: string[] }[];
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
