import type { Clock } from "../../clock.ts";
import type { Branch } from "../../jobs/reading/branch.ts";
import type { ErrorHistory, ErrorHistoryFilter } from "../../jobs/reading/error-history.ts";
import { checkErrorFilter, type ErrorFilter, type ErrorKind } from "../../jobs/reading/error-kind.ts";
import type { Job, JobId } from "../../jobs/reading/job.ts";
import { checkJobFilter, type JobFilter } from "../../jobs/reading/job-filter.ts";
import type { JobCount, JobPage, JobRowNow, PageOptions } from "../../jobs/reading/job-page.ts";
import { checkedStreamName } from "../../jobs/streams/job-stream.ts";
import { type StreamInfo, type StreamPart, streamStart } from "../../jobs/streams/stream-entry.ts";
import { Database, type DatabaseOptions } from "../../store/connections/database.ts";
import { DatabaseUnavailableError, isReadOnlyRefusal } from "../../store/connections/database-error.ts";
import type { DatabaseHealth } from "../../store/reading/database-health.ts";
import type { EventPage } from "../../store/reading/event-store.ts";
import type { PipelineInfo } from "../../store/reading/pipeline-info.ts";
import type { StageCount } from "../../store/reading/queue-store.ts";
import type { Reason } from "../../store/reading/reason.ts";
import type { RecoveredJobs } from "../../store/reading/recovered-jobs.ts";
import type { Retention } from "../../store/reading/retention.ts";
import type { HistoryFilter, StageHistory, StageWait } from "../../store/reading/stage-numbers.ts";
import type { WaitFilter, WaitingJob } from "../../store/reading/wait-store.ts";
import type { WorkerInfo } from "../../store/reading/worker-info.ts";
import type {
  BudgetInfo,
  BudgetTotals,
  BudgetUsage,
  BudgetUsageFilter,
} from "../../store/steering/budget-limits.ts";
import type { ScheduleFilter } from "../../store/steering/schedule-store.ts";
import { Stores } from "../../store/stores.ts";
import type { StreamPage } from "../../store/working/stream-store.ts";
import { type Schedule, ScheduleBook } from "../schedules/schedule-book.ts";
import { checkSchema } from "../schema/schema-check.ts";
import { StreamHub } from "../streams/stream-hub.ts";
import { checkedHistory } from "./checked-history.ts";
import { checkedJobId } from "./checked-job-id.ts";
import { JobPages } from "./job-pages.ts";
import { readQueueMetrics } from "./queue-metrics.ts";

/** How much a reader of its own may ask of the database. */
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

/** Which stream to read, and from where on. */
export interface StreamRequest {
  readonly jobId: string;
  readonly name: string;
  /** A cursor; null begins with the first chunk. */
  readonly after: string | null;
}

/** Reads for people, on connections of their own: whatever they ask for, workers and adds never wait behind it. */
export class Reader {
  readonly #clock: Clock;
  readonly #database: Database;
  readonly #stores: Stores;
  readonly #schedules: ScheduleBook;
  readonly #pages: JobPages;
  readonly #streamHub: StreamHub;
  readonly #writer: Pick<Stores, "events" | "schema">;

  /** The writer does what a read-only connection cannot: see `events` and `check`. */
  constructor(
    clock: Clock,
    options: Omit<DatabaseOptions, "isReadOnly">,
    writer: Pick<Stores, "events" | "schema">,
  ) {
    this.#clock = clock;
    this.#writer = writer;
    this.#database = new Database({ ...options, isReadOnly: true });
    this.#stores = new Stores(this.#database);
    this.#pages = new JobPages(this.#stores.lists);
    this.#streamHub = new StreamHub({ store: this.#stores.streams, clock });
    this.#schedules = new ScheduleBook({
      store: this.#stores.schedules,
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
    return await this.#stores.lists.count(filter, 10_001);
  }

  /** With `full: false`, what is larger than 256 KiB of payload, outputs and result stays in the database. */
  async job<Result>(
    id: JobId<Result>,
    { full = true }: { readonly full?: boolean } = {},
  ): Promise<Job<Result> | null> {
    return (await this.#stores.jobs.get(checkedJobId(id), full)) as Job<Result> | null;
  }

  /** The branches of its parallel stages and the single children of its stages, in the order in which they began. */
  async branches(id: JobId): Promise<Branch[]> {
    return await this.#stores.batches.branchesOf(checkedJobId(id));
  }

  /** Where some jobs stand now, at most 100; those that are not there have no row. */
  async rows(ids: readonly JobId[]): Promise<JobRowNow[]> {
    return await this.#stores.lists.rows(ids.map(checkedJobId));
  }

  /** The jobs that wait for a signal, as `engine.waits` lists them. */
  async waitingJobs(filter: WaitFilter = {}): Promise<WaitingJob[]> {
    return await this.#stores.waits.list(filter);
  }

  /** How many jobs wait for a signal, counted up to 10,000. */
  async waitingCount(filter: Omit<WaitFilter, "after" | "limit"> = {}): Promise<JobCount> {
    return await this.#stores.waits.count(filter);
  }

  /** The errors of failed jobs by kind, those seen last first, over the newest 10,000 failures. */
  async errors(filter: ErrorFilter = {}): Promise<ErrorKind[]> {
    checkErrorFilter(filter);
    return await this.#stores.lists.errors(filter);
  }

  /** How many jobs failed with each of the 100 kinds seen last, over the newest 10,000 failures of the time. */
  async errorHistory(filter: ErrorHistoryFilter = {}): Promise<ErrorHistory[]> {
    return await this.#stores.lists.errorHistory(checkedHistory(filter, ["pipeline", "fingerprint"]));
  }

  /** Every pipeline that the database knows, by name, with its stages in order. */
  pipelines(): Promise<PipelineInfo[]> {
    return this.#stores.pipelines.list();
  }

  stats(): Promise<StageCount[]> {
    return this.#stores.queue.stats();
  }

  workers(): Promise<WorkerInfo[]> {
    return this.#stores.queue.workers();
  }

  /** One page of the realtime log, without waiting for more. */
  async events(part: EventsPart): Promise<EventPage> {
    const { owner = null, pipeline = null, jobId = null, after, until = null, limit = 500 } = part;
    const filter = { owner, pipeline, jobId: jobId === null ? null : checkedJobId(jobId) };
    try {
      return await this.#stores.events.read(after, filter, limit, until);
    } catch (error) {
      if (!isReadOnlyRefusal(error)) throw error;
      // The first read of the log after a start of the server writes, which only the writer can do.
      await this.#writer.events.read(null, { owner: null, pipeline: null, jobId: null }, 1);
      return await this.#stores.events.read(after, filter, limit, until);
    }
  }

  /**
   * A stream, as it is written, until its job has ended; returns true then, and false when it was ended before. However many
   * follow it, the database is read for one.
   */
  followStream(request: StreamRequest, signal: AbortSignal): AsyncGenerator<StreamPart, boolean, undefined> {
    return this.#streamHub.follow(placeOf(request), signal);
  }

  /** One page of a stream, without waiting for more. */
  async stream(request: StreamRequest): Promise<StreamPage> {
    const [page] = await this.#stores.streams.read([placeOf(request)], 100);
    if (page === undefined) throw new Error("read_streams has not answered.");
    return page;
  }

  async streams(jobId: JobId): Promise<StreamInfo[]> {
    return await this.#stores.streams.list(checkedJobId(jobId));
  }

  async history(pipeline: string, filter: HistoryFilter = {}): Promise<StageHistory[]> {
    return await this.#stores.queue.history(pipeline, checkedHistory(filter));
  }

  schedules(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    return this.#schedules.list(filter);
  }

  async explain(id: JobId): Promise<Reason[]> {
    return await this.#stores.jobs.explain(checkedJobId(id));
  }

  /** Every budget, as `engine.budgets` lists them. */
  budgets(): Promise<BudgetInfo[]> {
    return this.#stores.budgetLimits.list();
  }

  /** How much of each budget is in use, as `engine.budgetTotals` says. */
  budgetTotals(): Promise<BudgetTotals[]> {
    return this.#stores.budgetLimits.totals();
  }

  /** What was spent of a budget, as `engine.budgetUsage` lists it. */
  async budgetUsage(name: string, filter: BudgetUsageFilter = {}): Promise<BudgetUsage[]> {
    return await this.#stores.budgetLimits.usage(name, filter);
  }

  /** What waits in each stage, for how long, and whether anybody works there. */
  waits(): Promise<StageWait[]> {
    return this.#stores.queue.stageWaits();
  }

  /**
   * Rejects when the database is away, takes no writes, or does not have the schema that this code needs; says how long
   * the answer took.
   */
  async check(): Promise<{ readonly roundTripMs: number }> {
    const beganAtMs = this.#clock.monotonicMs();
    await checkSchema(this.#stores.schema);
    const roundTripMs = this.#clock.monotonicMs() - beganAtMs;
    if (!(await this.#writer.schema.isWritable())) throw new DatabaseUnavailableError({ code: "25006" });
    return { roundTripMs };
  }

  /** The health of the database server, and by how much its clock is ahead of this machine's. */
  async databaseHealth(): Promise<DatabaseHealth & { readonly clockAheadMs: number }> {
    const beganAtMs = this.#clock.monotonicMs();
    const { at, ...health } = await this.#stores.schema.health();
    const halfWayMs = (this.#clock.monotonicMs() - beganAtMs) / 2;
    return { ...health, clockAheadMs: at.getTime() - (this.#clock.now().getTime() - halfWayMs) };
  }

  /** How many jobs were taken from lost workers in the last hour. */
  recoveredJobs(): Promise<RecoveredJobs> {
    return this.#stores.queue.recoveredJobs();
  }

  /** When retention ran last, and what it keeps. */
  retention(): Promise<Retention> {
    return this.#stores.queue.retention();
  }

  metrics(): Promise<string> {
    const { queue, budgetLimits } = this.#stores;
    return readQueueMetrics({ store: queue, budgets: budgetLimits, clock: this.#clock });
  }

  async close(): Promise<void> {
    // The call that is under way ends with its connection.
    const stopped = this.#streamHub.stop();
    await this.#database.close(this.#clock);
    await stopped;
  }
}

function placeOf({ jobId, name, after }: StreamRequest) {
  return { jobId: checkedJobId(jobId), name: checkedStreamName(name), cursor: after ?? streamStart };
}
