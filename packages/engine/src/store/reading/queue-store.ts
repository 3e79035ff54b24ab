import type { JobStatus } from "../../jobs/reading/job.ts";
import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { RecoveredJobs } from "./recovered-jobs.ts";
import { type Retention, type RetentionRow, retentionOf } from "./retention.ts";
import {
  type HistoryFilter,
  historyOf,
  type StageHistory,
  type StageHistoryRow,
  type StageTotals,
  type StageTotalsRow,
  type StageWait,
  type StageWaitRow,
  totalsOf,
  waitOf,
} from "./stage-numbers.ts";
import { type WorkerInfo, type WorkerRow, workerInfoOf } from "./worker-info.ts";

/** How many jobs of a stage have one status. */
export interface StageCount {
  readonly pipeline: string;
  readonly stage: string;
  readonly status: JobStatus;
  readonly jobs: number;
  readonly paused: boolean;
}

const functions = {
  stats: sqlFunction("queue_stats", []),
  workers: sqlFunction("active_workers", []),
  history: sqlFunction("read_stage_history", ["p_pipeline", "p_stage", "p_from", "p_to", "p_step"]),
  stageTotals: sqlFunction("read_stage_totals", []),
  stageWaits: sqlFunction("read_stage_waits", []),
  recoveredJobs: sqlFunction("read_recovered_jobs", []),
  retention: sqlFunction("read_retention", []),
};

/** The queue as a whole: its numbers, its workers, and what retention and sweeps have done. */
export class QueueStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async stats(): Promise<StageCount[]> {
    const rows = await this.#database.query<Omit<StageCount, "jobs"> & { jobs: string }>(functions.stats());
    return rows.map((row) => ({ ...row, jobs: Number(row.jobs) }));
  }

  async workers(): Promise<WorkerInfo[]> {
    const rows = await this.#database.query<WorkerRow>(functions.workers());
    return rows.map(workerInfoOf);
  }

  async history(pipeline: string, filter: HistoryFilter): Promise<StageHistory[]> {
    const { stage = null, from = null, to = null, stepMs = 60_000 } = filter;
    const rows = await this.#database.query<StageHistoryRow>(
      functions.history(pipeline, stage, from, to, asInterval(stepMs)),
    );
    return rows.map(historyOf);
  }

  async stageTotals(): Promise<StageTotals[]> {
    const rows = await this.#database.query<StageTotalsRow>(functions.stageTotals());
    return rows.map(totalsOf);
  }

  async stageWaits(): Promise<StageWait[]> {
    const rows = await this.#database.query<StageWaitRow>(functions.stageWaits());
    return rows.map(waitOf);
  }

  async recoveredJobs(): Promise<RecoveredJobs> {
    const [row] = await this.#database.query<{ recovered: string; failed: string }>(
      functions.recoveredJobs(),
    );
    return { recovered: Number(row?.recovered ?? 0), failed: Number(row?.failed ?? 0) };
  }

  async retention(): Promise<Retention> {
    return retentionOf(await this.#database.query<RetentionRow>(functions.retention()));
  }
}
