import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction, sqlUpkeep } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** What an upkeep has done, what else is due, and how many workers there are. */
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
  /** Waits have been due for a while, and nobody has ended them. */
  readonly areWaitsDue: boolean;
}

/** What became of the waits that were due. */
export interface EndedWaits {
  readonly ended: number;
  /** When the next one is due, from the database's now on; null: none is. */
  readonly nextDueMs: number | null;
  /** The jobs whose waits were ended. */
  readonly jobIds: readonly string[];
}

export interface UpkeepIntervals {
  readonly sweepMs: number;
  readonly cancelGraceMs: number;
  readonly foldMs: number;
  readonly retentionMs: number;
}

/** The most rows of a kind that one call of a deletion looks at. */
export const rowsPerDeletion = 5_000;

const functions = {
  upkeep: sqlUpkeep("do_upkeep", [
    "p_worker_id",
    "p_sweep_interval",
    "p_cancel_grace",
    "p_fold_interval",
    "p_retention_interval",
  ]),
  endDueWaits: sqlFunction("end_due_waits", []),
  resetStalled: sqlFunction("reset_stalled_jobs", []),
  foldCounters: sqlUpkeep("fold_counters", ["p_interval"]),
  deleteFinished: sqlFunction("delete_finished_jobs", [
    "p_keep_completed",
    "p_keep_unsuccessful",
    "p_interval",
    "p_keep_events",
  ]),
  dropOldTable: sqlFunction("drop_old_table", [
    "p_keep_completed",
    "p_keep_unsuccessful",
    "p_keep_events",
    "p_place",
  ]),
  deleteRecentKeys: sqlFunction("delete_recent_keys", ["p_interval"]),
  deleteEffects: sqlFunction("delete_effects", ["p_keep", "p_interval"]),
  deleteSignals: sqlFunction("delete_signals", ["p_keep", "p_interval"]),
  deleteOldActions: sqlFunction("delete_old_actions", ["p_keep", "p_interval"]),
  deleteBudgetUsage: sqlFunction("delete_budget_usage", ["p_interval"]),
};

/**
 * What any worker does for all: the sweep, the counters, retention.
 *
 * A deletion answers with a number of rows; `rowsPerDeletion` means that there may be more.
 */
export class UpkeepStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** Sweeps if it is this worker's turn, and says what else is due. */
  async upkeep(
    workerId: string,
    { sweepMs, cancelGraceMs, foldMs, retentionMs }: UpkeepIntervals,
  ): Promise<Upkeep> {
    const intervals = [sweepMs, cancelGraceMs, foldMs, retentionMs].map(asInterval);
    const [sweep, grace, fold, retention] = intervals;
    const [row] = await this.#database.query<UpkeepRow>(
      functions.upkeep(workerId, sweep, grace, fold, retention),
    );
    return {
      hasSwept: row?.has_swept ?? false,
      lostJobs: row?.lost_jobs ?? 0,
      failedJobs: row?.failed_jobs ?? 0,
      expiredJobs: row?.expired_jobs ?? 0,
      isFoldDue: row?.is_fold_due ?? false,
      isRetentionDue: row?.is_retention_due ?? false,
      workers: row?.workers ?? 0,
      sleepers: row?.sleepers ?? 0,
      areWaitsDue: row?.are_waits_due ?? false,
    };
  }

  /** Of all pipelines, whoever serves them. */
  async endDueWaits(): Promise<EndedWaits> {
    const [row] = await this.#database.query<{
      ended: number;
      next_due_ms: number | null;
      job_ids: string[];
    }>(functions.endDueWaits());
    return { ended: row?.ended ?? 0, nextDueMs: row?.next_due_ms ?? null, jobIds: row?.job_ids ?? [] };
  }

  async resetStalled(): Promise<number> {
    const [row] = await this.#database.query<{ reset_stalled_jobs: number }>(functions.resetStalled());
    return row?.reset_stalled_jobs ?? 0;
  }

  async foldCounters(intervalMs: number): Promise<void> {
    await this.#database.query(functions.foldCounters(asInterval(intervalMs)));
  }

  async deleteFinished(
    keepCompletedDays: number,
    keepFailedDays: number,
    keepEventsDays: number,
    intervalMs: number,
  ): Promise<number> {
    const [row] = await this.#database.query<{ delete_finished_jobs: number }>(
      functions.deleteFinished(
        `${keepCompletedDays} days`,
        `${keepFailedDays} days`,
        asInterval(intervalMs),
        `${keepEventsDays} days`,
      ),
    );
    return row?.delete_finished_jobs ?? 0;
  }

  /** Drops the next table after this place that is past its time, or leaves one that is held; null when there is no other. */
  async dropOldTable(
    keepCompletedDays: number,
    keepFailedDays: number,
    keepEventsDays: number,
    place: string,
  ): Promise<string | null> {
    const [row] = await this.#database.query<{ place: string }>(
      functions.dropOldTable(
        `${keepCompletedDays} days`,
        `${keepFailedDays} days`,
        `${keepEventsDays} days`,
        place,
      ),
    );
    return row?.place ?? null;
  }

  async deleteRecentKeys(intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_recent_keys: number }>(
      functions.deleteRecentKeys(asInterval(intervalMs)),
    );
    return row?.delete_recent_keys ?? 0;
  }

  async deleteEffects(keepDays: number, intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_effects: number }>(
      functions.deleteEffects(`${keepDays} days`, asInterval(intervalMs)),
    );
    return row?.delete_effects ?? 0;
  }

  async deleteSignals(keepDays: number, intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_signals: number }>(
      functions.deleteSignals(`${keepDays} days`, asInterval(intervalMs)),
    );
    return row?.delete_signals ?? 0;
  }

  async deleteOldActions(keepDays: number, intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_old_actions: number }>(
      functions.deleteOldActions(`${keepDays} days`, asInterval(intervalMs)),
    );
    return row?.delete_old_actions ?? 0;
  }

  async deleteBudgetUsage(intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_budget_usage: number }>(
      functions.deleteBudgetUsage(asInterval(intervalMs)),
    );
    return row?.delete_budget_usage ?? 0;
  }
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
  readonly are_waits_due: boolean;
}
