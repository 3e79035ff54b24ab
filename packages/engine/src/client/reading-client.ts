import type { EngineConfig } from "../engine-config.ts";
import { type Batch, checkedBatchId } from "../jobs/adding/batch.ts";
import type { Effect } from "../jobs/outcomes/effect.ts";
import type { JobOutcome } from "../jobs/outcomes/job-outcome.ts";
import type { AnyPipeline } from "../jobs/pipelines/pipeline.ts";
import { pipelineName } from "../jobs/pipelines/pipeline-name.ts";
import type { Branch } from "../jobs/reading/branch.ts";
import type { Finding } from "../jobs/reading/finding.ts";
import type { Job, JobId, JobSummary } from "../jobs/reading/job.ts";
import type { LoggedEvent } from "../jobs/reading/job-event.ts";
import type { TokenOptions, TokenScope } from "../jobs/reading/owner-token.ts";
import type { ReadEventsOptions } from "../jobs/reading/read-events-options.ts";
import type { ReadStreamOptions } from "../jobs/streams/read-stream-options.ts";
import type { StreamEntry, StreamInfo } from "../jobs/streams/stream-entry.ts";
import type { ListFilter } from "../store/reading/list-store.ts";
import type { StageCount } from "../store/reading/queue-store.ts";
import type { Reason } from "../store/reading/reason.ts";
import type { Violation } from "../store/reading/schema-store.ts";
import type { HistoryFilter, StageHistory } from "../store/reading/stage-numbers.ts";
import type { WaitFilter, WaitingJob } from "../store/reading/wait-store.ts";
import type { WorkerInfo } from "../store/reading/worker-info.ts";
import type { ActionFilter, RecordedAction } from "../store/steering/action-store.ts";
import type {
  BudgetInfo,
  BudgetTotals,
  BudgetUsage,
  BudgetUsageFilter,
} from "../store/steering/budget-limits.ts";
import type { ScheduleFilter } from "../store/steering/schedule-store.ts";
import type { ClientAssembly } from "./client-assembly.ts";
import { checkedHistory } from "./reading/checked-history.ts";
import { checkedJobId } from "./reading/checked-job-id.ts";
import { readQueueMetrics } from "./reading/queue-metrics.ts";
import type { Reader, ReaderOptions } from "./reading/reader.ts";
import type { Schedule } from "./schedules/schedule-book.ts";
import { type CheckOptions, DeployCheck, type UnrunnableJobs } from "./schema/deploy-check.ts";
import { diagnose } from "./schema/diagnosis.ts";
import { checkSchema } from "./schema/schema-check.ts";

/** The part of an engine that changes nothing: what any process may ask of the queue. */
export class ReadingClient {
  readonly #assembly: ClientAssembly;

  constructor(assembly: ClientAssembly) {
    this.#assembly = assembly;
  }

  /** The pipelines of this process. */
  get pipelines(): readonly AnyPipeline[] {
    return this.#assembly.config.pipelines;
  }

  /** For how many days finished jobs and events are kept. */
  get retention(): Pick<EngineConfig, "keepCompletedDays" | "keepFailedDays" | "keepEventsDays"> {
    const { keepCompletedDays, keepFailedDays, keepEventsDays } = this.#assembly.config;
    return { keepCompletedDays, keepFailedDays, keepEventsDays };
  }

  async get<Result>(id: JobId<Result>): Promise<Job<Result> | null> {
    return (await this.#assembly.stores.jobs.get(checkedJobId(id))) as Job<Result> | null;
  }

  /** Newest first; the id of the last one is the next page's `before`. */
  async list(filter: ListFilter = {}): Promise<JobSummary[]> {
    if (filter.before !== undefined) checkedJobId(filter.before);
    return await this.#assembly.stores.lists.newest(filter);
  }

  /** The jobs that wait for a signal, those that time out first at the top; the `place` of the last one is the next page's `after`. */
  async waits(filter: WaitFilter = {}): Promise<WaitingJob[]> {
    return await this.#assembly.stores.waits.list(filter);
  }

  /** What the last stage returned. Rejects when the job fails, is cancelled or unknown, or `timeoutMs` is over. */
  result<Result>(id: JobId<Result>, options: { readonly timeoutMs?: number } = {}): Promise<Result> {
    return this.#assembly.results.wait(id, { timeoutMs: options.timeoutMs ?? null }) as Promise<Result>;
  }

  /** Why a job is not running, in sentences and numbers. */
  async explain(id: JobId): Promise<Reason[]> {
    return await this.#assembly.stores.jobs.explain(checkedJobId(id));
  }

  /** What the ledger of `once` holds of a job. */
  async effects(id: JobId): Promise<Effect[]> {
    return await this.#assembly.stores.effects.list(checkedJobId(id));
  }

  /** The branches of its parallel stages and the single children of its stages, in the order in which they began. */
  async branches(id: JobId): Promise<Branch[]> {
    return await this.#assembly.stores.batches.branchesOf(checkedJobId(id));
  }

  async batch(id: string): Promise<Batch | null> {
    return await this.#assembly.stores.batches.get(checkedBatchId(id));
  }

  /** What became of a batch's finished jobs, by id; the id of the last one is the next page's `after`. */
  async batchResults(
    id: string,
    { after, limit = 1_000 }: { readonly after?: string; readonly limit?: number } = {},
  ): Promise<JobOutcome[]> {
    const page = after === undefined ? null : checkedJobId(after);
    return await this.#assembly.stores.batches.results(checkedBatchId(id), page, limit);
  }

  /** By name, each with its next five runs; the name of the last one is the next page's `after`. */
  schedules(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    return this.#assembly.schedules.list(filter);
  }

  /** What people did, newest first; the id of the last one is the next page's `before`. */
  async recordedActions(filter: ActionFilter = {}): Promise<RecordedAction[]> {
    return await this.#assembly.stores.actions.list(filter);
  }

  /** Every budget that the database knows, by name, with its limit and how many jobs wait for it. */
  budgets(): Promise<BudgetInfo[]> {
    return this.#assembly.stores.budgetLimits.list();
  }

  /** How much of each budget is in use in its current period, and by whom most. */
  budgetTotals(): Promise<BudgetTotals[]> {
    return this.#assembly.stores.budgetLimits.totals();
  }

  /** What each owner, group or pipeline has spent of a budget: the newest period first; the last row is the next page's `after`. */
  async budgetUsage(name: string, filter: BudgetUsageFilter = {}): Promise<BudgetUsage[]> {
    return await this.#assembly.stores.budgetLimits.usage(name, filter);
  }

  stats(): Promise<StageCount[]> {
    return this.#assembly.stores.queue.stats();
  }

  workers(): Promise<WorkerInfo[]> {
    return this.#assembly.stores.queue.workers();
  }

  /** What happened in a pipeline's stages, step by step: the last hour by the minute, unless told otherwise. */
  async history(pipeline: AnyPipeline | string, filter: HistoryFilter = {}): Promise<StageHistory[]> {
    return await this.#assembly.stores.queue.history(pipelineName(pipeline), checkedHistory(filter));
  }

  /** The whole queue in numbers, as text that Prometheus reads. */
  metrics(): Promise<string> {
    const { stores, clock } = this.#assembly;
    return readQueueMetrics({ store: stores.queue, budgets: stores.budgetLimits, clock });
  }

  /**
   * Follows the realtime log: what happens to jobs with an owner, and to all jobs of pipelines with `events: true`,
   * wherever they run. Waits at the end for more, until the signal aborts or the engine stops.
   */
  readEvents(options: ReadEventsOptions = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    return this.#assembly.eventReader.read(options);
  }

  /**
   * What a job's handler writes to a stream, chunk by chunk, while it is written and afterwards. Each chunk comes once and in order. Ends
   * when the job has ended and all was read.
   */
  readStream<Chunk = unknown>(
    id: JobId,
    name: string,
    options: ReadStreamOptions = {},
  ): AsyncGenerator<StreamEntry<Chunk>, void, undefined> {
    // Its type is only a promise, as those of outputs are.
    const entries: AsyncGenerator<StreamEntry, void, undefined> = this.#assembly.streamReader.read(
      id,
      name,
      options,
    );
    return entries as AsyncGenerator<StreamEntry<Chunk>, void, undefined>;
  }

  /** The streams that a job has written, by name. */
  async streams(id: JobId): Promise<StreamInfo[]> {
    return await this.#assembly.stores.streams.list(checkedJobId(id));
  }

  /** A cursor for `after` of `readEvents`: all that happens once it is there, and nothing before. */
  async eventCursor(): Promise<string> {
    const everything = { owner: null, pipeline: null, jobId: null };
    const { cursor } = await this.#assembly.stores.events.read(null, everything, 1);
    return cursor;
  }

  /**
   * Signed with `tokenSecret`: lets whoever has it read the events and streams of this owner's jobs, and no others, and signal those waits of them
   * that `signals` names.
   */
  ownerToken(owner: string, options: TokenOptions): string {
    return this.#assembly.tokens.sign(owner, options, this.#nowMs());
  }

  /** The same for the events and streams of one job, whoever it belongs to. */
  jobToken(id: JobId, options: TokenOptions): string {
    return this.#assembly.tokens.signForJob(checkedJobId(id), options, this.#nowMs());
  }

  /** What a token opens, and until when. Throws an OwnerTokenError for one that is not genuine, or over. */
  tokenScope(token: string): TokenScope {
    return this.#assembly.tokens.scopeOf(token, this.#nowMs());
  }

  /** Throws an OwnerTokenError for a token that is not genuine, is over, or speaks for no owner. */
  ownerOf(token: string): string {
    return this.#assembly.tokens.ownerOf(token, this.#nowMs());
  }

  /** Whether PostgreSQL takes writes: no standby, not in recovery, not set to read only. */
  isWritable(): Promise<boolean> {
    return this.#assembly.stores.schema.isWritable();
  }

  /** The invariants that do not hold; none, when all is well. */
  verify(): Promise<Violation[]> {
    return this.#assembly.stores.schema.verify();
  }

  /** What may keep the queue from working well: the way to the database, its settings, vacuum, indexes, workers. */
  diagnose(): Promise<Finding[]> {
    const { stores, config } = this.#assembly;
    return diagnose({ config, schema: stores.schema });
  }

  /** The jobs in flight that this code cannot run; none: it may be deployed. Changes nothing. */
  async check(options: CheckOptions = {}): Promise<UnrunnableJobs[]> {
    const { jobs, queue, schema, pipelines: known } = this.#assembly.stores;
    await checkSchema(schema);
    return await new DeployCheck({ jobs, queue, known, pipelines: this.pipelines }).run(options);
  }

  /** Reads for people on a small pool of their own, read-only. Closed with the engine, or before. */
  reader(options: ReaderOptions = {}): Reader {
    return this.#assembly.reader(options);
  }

  #nowMs(): number {
    return this.#assembly.clock.now().getTime();
  }
}
