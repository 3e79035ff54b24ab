import type { Added, Job, JobStatus, JobSummary } from "../jobs/job.ts";
import type { Place } from "../jobs/list-cursor.ts";
import type { PipelineSettings } from "../jobs/pipeline-options.ts";
import type { StageLimits } from "../jobs/stage-limits.ts";
import { ActionStore } from "./action-store.ts";
import { addJobs, type EncodedJob } from "./add-jobs.ts";
import { asInterval } from "./as-interval.ts";
import { BatchStore } from "./batch-store.ts";
import { BulkStore } from "./bulk-store.ts";
import { sqlFunction, sqlUpkeep } from "./call-function.ts";
import type { Claim, Settlement, StageRequest } from "./claim.ts";
import { type Database, RolledBack } from "./database.ts";
import { EffectStore } from "./effect-store.ts";
import { type JobRow, jobOf } from "./job-row.ts";
import { type PipelineInfo, type PipelineInfoRow, pipelineInfoOf } from "./pipeline-info.ts";
import { type EventFilter, type EventPage, readEvents } from "./read-events.ts";
import { ReadingStore } from "./reading-store.ts";
import { type Reason, type ReasonRow, reasonOf } from "./reason.ts";
import { type Exchange, settleAndClaim } from "./settle-and-claim.ts";
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
import { type CancelAnswer, type Retried, SteeringStore } from "./steering-store.ts";
import { type Upkeep, type UpkeepIntervals, upkeep } from "./upkeep.ts";

export interface StageRegistration extends StageLimits {
  readonly name: string;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  readonly timeoutMs: number | null;
  readonly retry: { kind: string; baseMs: number; capMs: number; jitter: number };
}

export interface WorkerRegistration {
  readonly workerId: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly stages: readonly string[];
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

export interface ListFilter {
  readonly pipeline?: string | undefined;
  readonly stage?: string | undefined;
  readonly status?: JobStatus | undefined;
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  /** The id of the last job of the page before. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

export interface StageCount {
  readonly pipeline: string;
  readonly stage: string;
  readonly status: JobStatus;
  readonly jobs: number;
  readonly paused: boolean;
}

export interface WorkerInfo {
  readonly workerId: string;
  readonly name: string;
  readonly host: string | null;
  readonly pid: number | null;
  readonly version: string | null;
  readonly isAlive: boolean;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  readonly leaseUntil: Date;
  readonly stages: readonly string[];
  readonly activeJobs: number;
  readonly oldestJobAt: Date | null;
  readonly newestJobAt: Date | null;
  readonly report: unknown;
}

export interface FinishedResult {
  readonly id: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly result: unknown;
  readonly error: unknown;
}

/** A job that is not finished; its payload only where it was asked for. */
export interface LiveJob {
  readonly id: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly payload: unknown;
}

/** The most dedup keys that one call of deleteRecentKeys looks at. */
export const keysPerDeletion = 5_000;

export interface Violation {
  readonly invariant: string;
  readonly jobId: string | null;
  readonly violation: string;
}

export type ClaimState = "held" | "locked" | "advanced" | "completed" | "failed" | "cancelled" | "lost";

const functions = {
  definePipeline: sqlFunction("define_pipeline", ["p_name", "p_stages", "p_options"]),
  describePipelines: sqlFunction("describe_pipelines", []),
  registerWorker: sqlFunction("register_worker", [
    "p_worker_id",
    "p_name",
    "p_lease",
    "p_stages",
    "p_host",
    "p_pid",
    "p_version",
  ]),
  deregisterWorker: sqlFunction("deregister_worker", ["p_worker_id"]),
  waitForJobs: sqlFunction("wait_for_jobs", ["p_worker_id", "p_stage_ids"]),
  passOnWakeUp: sqlFunction("pass_on_wake_up", ["p_worker_id", "p_stage_ids"]),
  reportProgress: sqlFunction("report_progress_of_jobs", ["p_reports"]),
  claimState: sqlFunction("claim_state", ["p_id", "p_claim_token"]),
  cancelRequests: sqlFunction("cancel_requests", ["p_worker_id"]),
  resetStalled: sqlFunction("reset_stalled_jobs", []),
  foldCounters: sqlUpkeep("fold_counters", ["p_interval"]),
  deleteFinished: sqlFunction("delete_finished_jobs", [
    "p_keep_completed",
    "p_keep_unsuccessful",
    "p_interval",
    "p_keep_events",
  ]),
  deleteRecentKeys: sqlFunction("delete_recent_keys", ["p_interval"]),
  getJob: sqlFunction("get_job", ["p_id", "p_full"]),
  liveJobs: sqlFunction("live_jobs", ["p_pipelines", "p_after"]),
  finishedResults: sqlFunction("finished_results", ["p_ids"]),
  queueStats: sqlFunction("queue_stats", []),
  activeWorkers: sqlFunction("active_workers", []),
  explainJob: sqlFunction("explain_job", ["p_id"]),
  stageHistory: sqlFunction("read_stage_history", ["p_pipeline", "p_stage", "p_from", "p_to", "p_step"]),
  stageTotals: sqlFunction("read_stage_totals", []),
  stageWaits: sqlFunction("read_stage_waits", []),
  verify: sqlFunction("verify", []),
  schemaVersion: sqlFunction("schema_version", []),
};

/** The one door to the queue: a method per SQL function. */
export class JobStore {
  readonly effects: EffectStore;
  readonly batches: BatchStore;
  readonly reading: ReadingStore;
  readonly actions: ActionStore;
  readonly bulk: BulkStore;
  readonly #steering: SteeringStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.batches = new BatchStore(database);
    this.reading = new ReadingStore(database);
    this.actions = new ActionStore(database);
    this.bulk = new BulkStore(database);
    this.#steering = new SteeringStore(database);
    this.#database = database;
    this.effects = new EffectStore(database);
  }

  async schemaVersion(): Promise<number> {
    const [row] = await this.#database.query<{ schema_version: number }>(functions.schemaVersion());
    return row?.schema_version ?? 0;
  }

  /** The ids of the stages, by name. */
  async definePipeline(
    name: string,
    stages: readonly StageRegistration[],
    settings: PipelineSettings & { readonly payloadSchema?: unknown },
  ): Promise<Map<string, number>> {
    const rows = await this.#database.query<{ stage: string; stage_id: number }>(
      functions.definePipeline(name, JSON.stringify(stages), JSON.stringify(settings)),
    );
    return new Map(rows.map((row) => [row.stage, row.stage_id]));
  }

  async pipelines(): Promise<PipelineInfo[]> {
    const rows = await this.#database.query<PipelineInfoRow>(functions.describePipelines());
    return rows.map(pipelineInfoOf);
  }

  /** All are added or none. */
  add(jobs: readonly EncodedJob[], isResent: boolean): Promise<Added[]> {
    return addJobs((statement) => this.#database.query(statement), jobs, isResent);
  }

  /** More jobs than one call takes, in one transaction. The next chunk is made while one is inserted. */
  addInChunks(chunks: Iterable<readonly EncodedJob[]>, isResent: boolean): Promise<Added[]> {
    return this.#database.transaction(async (query) => {
      const added: Added[] = [];
      let adding: Promise<void> = Promise.resolve();
      for (const jobs of orRolledBack(chunks)) {
        await adding;
        adding = addJobs(query, jobs, isResent).then((some) => void added.push(...some));
        // Making the next chunk may throw first.
        adding.catch(() => {});
      }
      await adding;
      return added;
    });
  }

  async registerWorker(worker: WorkerRegistration): Promise<void> {
    await this.#database.query(
      functions.registerWorker(
        worker.workerId,
        worker.name,
        asInterval(worker.leaseMs),
        worker.stages,
        worker.host,
        worker.pid,
        worker.version,
      ),
    );
  }

  async deregisterWorker(workerId: string): Promise<void> {
    await this.#database.query(functions.deregisterWorker(workerId));
  }

  settleAndClaim(
    workerId: string,
    settlements: readonly Settlement[],
    requests: readonly StageRequest[],
  ): Promise<Exchange> {
    return settleAndClaim(this.#database, workerId, settlements, requests);
  }

  async waitForJobs(workerId: string, stageIds: readonly number[]): Promise<void> {
    await this.#database.query(functions.waitForJobs(workerId, stageIds));
  }

  async passOnWakeUp(workerId: string, stageIds: readonly number[]): Promise<void> {
    await this.#database.query(functions.passOnWakeUp(workerId, stageIds));
  }

  /** Comes back with the jobs that this worker no longer holds. */
  async reportProgress(
    reports: readonly { claim: Claim; percent: number; note: string | null; data: unknown }[],
  ): Promise<string[]> {
    const json = reports.map(({ claim, ...report }) => ({ id: claim.jobId, token: claim.token, ...report }));
    const rows = await this.#database.query<{ report_progress_of_jobs: string }>(
      functions.reportProgress(JSON.stringify(json)),
    );
    return rows.map((row) => row.report_progress_of_jobs);
  }

  async claimState({ jobId, token }: Claim): Promise<ClaimState> {
    const [row] = await this.#database.query<{ claim_state: ClaimState }>(functions.claimState(jobId, token));
    return row?.claim_state ?? "lost";
  }

  cancel(id: string, ifVersion: string | null = null): Promise<CancelAnswer> {
    return this.#steering.cancel(id, ifVersion);
  }

  /** The jobs this worker holds that are to be cancelled. */
  async cancelRequests(workerId: string): Promise<string[]> {
    const rows = await this.#database.query<{ cancel_requests: string }>(functions.cancelRequests(workerId));
    return rows.map((row) => row.cancel_requests);
  }

  retry(id: string, fromStage: string | null, ifVersion: string | null = null): Promise<Retried> {
    return this.#steering.retry(id, fromStage, ifVersion);
  }

  pause(pipeline: string, stage: string): Promise<boolean> {
    return this.#steering.pause(pipeline, stage);
  }

  resume(pipeline: string, stage: string): Promise<boolean> {
    return this.#steering.resume(pipeline, stage);
  }

  upkeep(workerId: string, intervals: UpkeepIntervals): Promise<Upkeep> {
    return upkeep(this.#database, workerId, intervals);
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
  ): Promise<void> {
    await this.#database.query(
      functions.deleteFinished(
        `${keepCompletedDays} days`,
        `${keepFailedDays} days`,
        asInterval(intervalMs),
        `${keepEventsDays} days`,
      ),
    );
  }

  /** Null begins now, "start" with the oldest that is kept. */
  readEvents(
    cursor: string | null,
    filter: EventFilter,
    limit: number,
    until: string | null = null,
  ): Promise<EventPage> {
    return readEvents(this.#database, cursor, filter, limit, until);
  }

  /** Says how many were looked at; `keysPerDeletion` means that there may be more. */
  async deleteRecentKeys(intervalMs: number): Promise<number> {
    const [row] = await this.#database.query<{ delete_recent_keys: number }>(
      functions.deleteRecentKeys(asInterval(intervalMs)),
    );
    return row?.delete_recent_keys ?? 0;
  }

  /** Unless it is to be whole, what is large is left out. */
  async get(id: string, isWhole = true): Promise<Job | null> {
    const [row] = await this.#database.query<JobRow>(functions.getJob(id, isWhole));
    return row === undefined ? null : jobOf(row);
  }

  /** Newest first, in as many looks as it takes to fill the page. */
  async list({ status, before, limit = 50, ...filter }: ListFilter): Promise<JobSummary[]> {
    const statuses = status === undefined ? undefined : [status];
    const jobs: JobSummary[] = [];
    let after: Place | null = before === undefined ? null : { key: "0", id: before.toLowerCase() };
    do {
      const look = {
        sort: "-id",
        after,
        backwards: false,
        limit: limit - jobs.length,
        preview: false,
      } as const;
      const page = await this.reading.list({ ...filter, statuses }, look);
      jobs.push(...page.jobs);
      after = page.goOnFrom;
    } while (after !== null);
    return jobs;
  }

  /** A page of them, oldest first; none: there are no more after this one. */
  liveJobs(payloadsOf: readonly string[], after: string | null): Promise<LiveJob[]> {
    return this.#database.query<LiveJob>(functions.liveJobs(payloadsOf, after));
  }

  finishedResults(ids: readonly string[]): Promise<FinishedResult[]> {
    return this.#database.query<FinishedResult>(functions.finishedResults(ids));
  }

  async stats(): Promise<StageCount[]> {
    const rows = await this.#database.query<Omit<StageCount, "jobs"> & { jobs: string }>(
      functions.queueStats(),
    );
    return rows.map((row) => ({ ...row, jobs: Number(row.jobs) }));
  }

  async workers(): Promise<WorkerInfo[]> {
    const rows = await this.#database.query<WorkerRow>(functions.activeWorkers());
    return rows.map(workerOf);
  }

  async explain(id: string): Promise<Reason[]> {
    const rows = await this.#database.query<ReasonRow>(functions.explainJob(id));
    return rows.map(reasonOf);
  }

  async history(pipeline: string, filter: HistoryFilter): Promise<StageHistory[]> {
    const { stage = null, from = null, to = null, stepMs = 60_000 } = filter;
    const rows = await this.#database.query<StageHistoryRow>(
      functions.stageHistory(pipeline, stage, from, to, asInterval(stepMs)),
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

  /** Reaches whoever listens to the channel. */
  async notify(channel: string, payload: string): Promise<void> {
    const text = "select pg_notify($1, $2)";
    await this.#database.query({ name: "lockstep_notify", text, values: [channel, payload] });
  }

  async verify(): Promise<Violation[]> {
    const rows = await this.#database.query<{ invariant: string; job_id: string | null; violation: string }>(
      functions.verify(),
    );
    return rows.map(({ invariant, job_id, violation }) => ({ invariant, jobId: job_id, violation }));
  }
}

interface WorkerRow {
  worker_id: string;
  name: string;
  host: string | null;
  pid: number | null;
  version: string | null;
  alive: boolean;
  started_at: Date;
  heartbeat_at: Date;
  lease_until: Date;
  stages: string[];
  active_jobs: string;
  oldest_job: Date | null;
  newest_job: Date | null;
  report: unknown;
}

function workerOf(row: WorkerRow): WorkerInfo {
  return {
    workerId: row.worker_id,
    name: row.name,
    host: row.host,
    pid: row.pid,
    version: row.version,
    isAlive: row.alive,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    leaseUntil: row.lease_until,
    stages: row.stages,
    activeJobs: Number(row.active_jobs),
    oldestJobAt: row.oldest_job,
    newestJobAt: row.newest_job,
    report: row.report,
  };
}

function* orRolledBack<Item>(items: Iterable<Item>): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw new RolledBack(error);
  }
}
