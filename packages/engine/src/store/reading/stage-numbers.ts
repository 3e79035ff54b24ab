/** What happened in a stage: how many jobs came into it, and how its attempts ended. */
export interface StageCounts {
  /** Added to the pipeline, come from the stage before, or retried by a person. */
  readonly entered: number;
  /** Claimed by a worker. */
  readonly started: number;
  readonly advanced: number;
  readonly completed: number;
  readonly retrying: number;
  readonly failed: number;
  readonly snoozed: number;
  readonly released: number;
  readonly lost: number;
  readonly cancelled: number;
  /** Its `when` said no. One that was the last stage of its job is counted as completed, too. */
  readonly skipped: number;
}

/** One step of a stage's history. Times are those of the attempts that ended in it; null when none did. */
export interface StageHistory extends StageCounts {
  readonly at: Date;
  readonly stage: string;
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
  readonly runP50Ms: number | null;
  readonly runP95Ms: number | null;
}

/** Of which stage the history is read, from when to when, and in which steps. */
export interface HistoryFilter {
  /** Left out: every stage of the pipeline. */
  readonly stage?: string | undefined;
  /** An hour before `to`, by default. */
  readonly from?: Date | undefined;
  /** Now, by default. */
  readonly to?: Date | undefined;
  /** A minute, by default, and at least. */
  readonly stepMs?: number | undefined;
}

/** Since the stage was defined. `waits[i]` attempts waited, and `runs[i]` ran, for less than 2^i ms and no less than half of it. */
export interface StageTotals extends StageCounts {
  readonly pipeline: string;
  readonly stage: string;
  readonly waits: readonly number[];
  readonly runs: readonly number[];
}

/** How long jobs have been waiting for one stage, and how many workers serve it. */
export interface StageWait {
  readonly pipeline: string;
  readonly stage: string;
  readonly liveWorkers: number;
  /** For how long the longest waiting job could have been claimed; null when none waits. */
  readonly pendingMs: number | null;
  /** For how long the most overdue job has been due; null when no job is overdue. */
  readonly overdueMs: number | null;
}

export const stageCountNames = [
  "entered",
  "started",
  "advanced",
  "completed",
  "retrying",
  "failed",
  "snoozed",
  "released",
  "lost",
  "cancelled",
  "skipped",
] as const satisfies readonly (keyof StageCounts)[];

// PostgreSQL's bigint comes as text.
type CountsRow = { [Name in keyof StageCounts]: string };

export interface StageHistoryRow extends CountsRow {
  at: Date;
  stage: string;
  wait_p50_ms: number | null;
  wait_p95_ms: number | null;
  run_p50_ms: number | null;
  run_p95_ms: number | null;
}

export interface StageTotalsRow extends CountsRow {
  pipeline: string;
  stage: string;
  waits: string[];
  runs: string[];
}

export interface StageWaitRow {
  pipeline: string;
  stage: string;
  live_workers: number;
  pending_ms: number | null;
  overdue_ms: number | null;
}

export function historyOf(row: StageHistoryRow): StageHistory {
  return {
    at: row.at,
    stage: row.stage,
    ...countsOf(row),
    waitP50Ms: row.wait_p50_ms,
    waitP95Ms: row.wait_p95_ms,
    runP50Ms: row.run_p50_ms,
    runP95Ms: row.run_p95_ms,
  };
}

export function totalsOf(row: StageTotalsRow): StageTotals {
  const { pipeline, stage, waits, runs } = row;
  return { pipeline, stage, ...countsOf(row), waits: waits.map(Number), runs: runs.map(Number) };
}

export function waitOf({ pipeline, stage, live_workers, pending_ms, overdue_ms }: StageWaitRow): StageWait {
  return { pipeline, stage, liveWorkers: live_workers, pendingMs: pending_ms, overdueMs: overdue_ms };
}

function countsOf(row: CountsRow): StageCounts {
  const entries = stageCountNames.map((name) => [name, Number(row[name])]);
  return Object.fromEntries(entries) as unknown as StageCounts;
}
