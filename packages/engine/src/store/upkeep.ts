import { asInterval } from "./as-interval.ts";
import { sqlUpkeep } from "./call-function.ts";
import type { Database } from "./database.ts";

/** What an upkeep has done, what else is due, and in how large a company this worker lives. */
export interface Upkeep {
  /** It was this worker's turn to sweep. */
  readonly hasSwept: boolean;
  readonly lostJobs: number;
  readonly failedJobs: number;
  readonly expiredJobs: number;
  readonly isFoldDue: boolean;
  readonly isRetentionDue: boolean;
  /** How many are alive. */
  readonly workers: number;
  /** How many of them a wake-up may reach for whatever this one works on. */
  readonly sleepers: number;
}

export interface UpkeepIntervals {
  readonly sweepMs: number;
  readonly cancelGraceMs: number;
  readonly foldMs: number;
  readonly retentionMs: number;
}

interface UpkeepRow {
  readonly has_swept: boolean;
  readonly lost_jobs: number;
  readonly failed_jobs: number;
  readonly expired_jobs: number;
  readonly is_fold_due: boolean;
  readonly is_retention_due: boolean;
  readonly workers: number;
  readonly sleepers: number;
}

const upkeepFunction = sqlUpkeep("do_upkeep", [
  "p_worker_id",
  "p_sweep_interval",
  "p_cancel_grace",
  "p_fold_interval",
  "p_retention_interval",
]);

export async function upkeep(
  database: Database,
  workerId: string,
  { sweepMs, cancelGraceMs, foldMs, retentionMs }: UpkeepIntervals,
): Promise<Upkeep> {
  const intervals = [sweepMs, cancelGraceMs, foldMs, retentionMs].map(asInterval);
  const [sweep, grace, fold, retention] = intervals;
  const [row] = await database.query<UpkeepRow>(upkeepFunction(workerId, sweep, grace, fold, retention));
  return {
    hasSwept: row?.has_swept ?? false,
    lostJobs: row?.lost_jobs ?? 0,
    failedJobs: row?.failed_jobs ?? 0,
    expiredJobs: row?.expired_jobs ?? 0,
    isFoldDue: row?.is_fold_due ?? false,
    isRetentionDue: row?.is_retention_due ?? false,
    workers: row?.workers ?? 0,
    sleepers: row?.sleepers ?? 0,
  };
}
