import type { Clock } from "../clock.ts";
import type { ErrorHistory, ErrorHistoryFilter } from "../jobs/error-history.ts";
import { checkErrorFilter, type ErrorFilter, type ErrorKind } from "../jobs/error-kind.ts";
import type { Job, JobId } from "../jobs/job.ts";
import { checkJobFilter, type JobFilter } from "../jobs/job-filter.ts";
import type { JobCount, JobPage, JobRowNow, PageOptions } from "../jobs/job-page.ts";
import { Database, type DatabaseOptions } from "../store/database.ts";
import type { DatabaseHealth } from "../store/database-health.ts";
import { JobStore, type StageCount, type WorkerInfo } from "../store/job-store.ts";
import type { PipelineInfo } from "../store/pipeline-info.ts";
import type { EventPage } from "../store/read-events.ts";
import type { Reason } from "../store/reason.ts";
import type { RecoveredJobs } from "../store/recovered-jobs.ts";
import type { Retention } from "../store/retention.ts";
import { type ScheduleFilter, ScheduleStore } from "../store/schedule-store.ts";
import type { HistoryFilter, StageHistory, StageWait } from "../store/stage-numbers.ts";
import { checkedHistory } from "./checked-history.ts";
import { checkedJobId } from "./checked-job-id.ts";
import { JobPages } from "./job-pages.ts";
import { readQueueMetrics } from "./queue-metrics.ts";
import { type Schedule, ScheduleBook } from "./schedule-book.ts";
import { checkSchema } from "./schema-check.ts";

export interface ReaderOptions {
  /** How many connections it may open; default 3. */
  readonly connections?: number;
  /** After so long PostgreSQL ends a statement, and the call rejects with a StatementTimeoutError; default 2,000. */
  readonly statementTimeoutMs?: number;
}

/** Which part of the realtime log to read. */
export interface EventsPart {
  readonly owner?: string | null;
  readonly pipeline?: string | null;
  readonly jobId?: string | null;
  /** A cursor, or "start" for the oldest event that is kept; null reads nothing and gives the cursor of now. */
  readonly after: string | null;
  /** The cursor of a page with `isAll`, of whoever read it: reading ends exactly there. */
  readonly until?: string | null;
  /** From 1 to 1,000; 500 unless told. */
  readonly limit?: number;
}

/** Reads for people, on connections of their own: whatever they ask for, workers and adds never wait behind it. */
export class Reader {
  readonly #clock: Clock;
  readonly #database: Database;
  readonly #store: JobStore;
  readonly #schedules: ScheduleBook;
  readonly #pages: JobPages;

  constructor(clock: Clock, options: Omit<DatabaseOptions, "isReadOnly">) {
    this.#clock = clock;
    this.#database = new Database({ ...options, isReadOnly: true });
    this.#store = new JobStore(this.#database);
    this.#pages = new JobPages(this.#store.reading);
    this.#schedules = new ScheduleBook({
      store: new ScheduleStore(this.#database),
      clock,
      ready: async () => undefined,
      onChanged: () => undefined,
    });
  }

  /** A page of the jobs that a filter means, and the cursors of those around it. */
  async jobs(filter: JobFilter = {}, options: PageOptions = {}): Promise<JobPage> {
    return await this.#pages.read(filter, options);
  }

  /** How many jobs a filter means, counted to 10,001 at most where the counters do not know it. */
  async count(filter: JobFilter = {}): Promise<JobCount> {
    checkJobFilter(filter);
    return await this.#store.reading.count(filter, 10_001);
  }

  /** With `full: false`, what is larger than 256 KiB of payload, outputs and result stays in the database. */
  async job<Result>(
    id: JobId<Result>,
    { full = true }: { readonly full?: boolean } = {},
  ): Promise<Job<Result> | null> {
    return (await this.#store.get(checkedJobId(id), full)) as Job<Result> | null;
  }

  /** Where some jobs stand now, at most 100; those that are not there have no row. */
  async rows(ids: readonly JobId[]): Promise<JobRowNow[]> {
    return await this.#store.reading.rows(ids.map(checkedJobId));
  }

  /** The errors of failed jobs by kind, those seen last first, over the newest 10,000 failures. */
  async errors(filter: ErrorFilter = {}): Promise<ErrorKind[]> {
    checkErrorFilter(filter);
    return await this.#store.reading.errors(filter);
  }

  /** How many jobs failed with each of the 100 kinds seen last, over the newest 10,000 failures of the time. */
  async errorHistory(filter: ErrorHistoryFilter = {}): Promise<ErrorHistory[]> {
    return await this.#store.reading.errorHistory(checkedHistory(filter, ["pipeline", "fingerprint"]));
  }

  /** Every pipeline that the database knows, by name, with its stages in order. */
  pipelines(): Promise<PipelineInfo[]> {
    return this.#store.pipelines();
  }

  stats(): Promise<StageCount[]> {
    return this.#store.stats();
  }

  workers(): Promise<WorkerInfo[]> {
    return this.#store.workers();
  }

  /** One page of the realtime log, without waiting for more. */
  async events(part: EventsPart): Promise<EventPage> {
    const { owner = null, pipeline = null, jobId = null, after, until = null, limit = 500 } = part;
    const filter = { owner, pipeline, jobId: jobId === null ? null : checkedJobId(jobId) };
    return await this.#store.readEvents(after, filter, limit, until);
  }

  async history(pipeline: string, filter: HistoryFilter = {}): Promise<StageHistory[]> {
    return await this.#store.history(pipeline, checkedHistory(filter));
  }

  schedules(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    return this.#schedules.list(filter);
  }

  async explain(id: JobId): Promise<Reason[]> {
    return await this.#store.explain(checkedJobId(id));
  }

  /** What waits in each stage, for how long, and whether anybody works there. */
  waits(): Promise<StageWait[]> {
    return this.#store.stageWaits();
  }

  /** Rejects when the database is away, or has not the schema that this code needs; says how long the answer took. */
  async check(): Promise<{ readonly roundTripMs: number }> {
    const beganAtMs = this.#clock.monotonicMs();
    await checkSchema(this.#store);
    return { roundTripMs: this.#clock.monotonicMs() - beganAtMs };
  }

  /** How the database server stands, and by how much its clock is ahead of this machine's. */
  async databaseHealth(): Promise<DatabaseHealth & { readonly clockAheadMs: number }> {
    const beganAtMs = this.#clock.monotonicMs();
    const { at, ...health } = await this.#store.reading.databaseHealth();
    const halfWayMs = (this.#clock.monotonicMs() - beganAtMs) / 2;
    return { ...health, clockAheadMs: at.getTime() - (this.#clock.now().getTime() - halfWayMs) };
  }

  /** How many jobs were taken from lost workers in the last hour. */
  recoveredJobs(): Promise<RecoveredJobs> {
    return this.#store.reading.recoveredJobs();
  }

  /** When retention ran last, and what it keeps. */
  retention(): Promise<Retention> {
    return this.#store.reading.retention();
  }

  metrics(): Promise<string> {
    return readQueueMetrics({ store: this.#store, clock: this.#clock });
  }

  close(): Promise<void> {
    return this.#database.close(this.#clock);
  }
}
