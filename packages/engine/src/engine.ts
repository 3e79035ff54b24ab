import { randomUUID } from "node:crypto";
import {
  type Migrated,
  type MigrationPlan,
  migrate,
  planMigration,
  SchemaTooNewError,
} from "@lockstep/database";
import { type EngineConfig, type EngineOptions, readEngineConfig } from "./engine-config.ts";
import {
  type AnyEngineEventListener,
  type EngineEventListener,
  type EngineEventName,
  EngineEvents,
} from "./events/engine-events.ts";
import { logEvents } from "./events/event-logger.ts";
import { meterEvents } from "./events/event-metrics.ts";
import type { HealthReport } from "./events/health-report.ts";
import type { Act } from "./jobs/act.ts";
import { type AddOptions, checkAddManyOptions, type TransactionOption } from "./jobs/add-options.ts";
import { barePipeline } from "./jobs/bare-pipeline.ts";
import { type AddBatchOptions, type AddedBatch, type Batch, checkedBatchId } from "./jobs/batch.ts";
import type { Effect } from "./jobs/effect.ts";
import type { Finding } from "./jobs/finding.ts";
import type { Added, Job, JobId, JobSummary } from "./jobs/job.ts";
import type { LoggedEvent } from "./jobs/job-event.ts";
import type { JobOutcome } from "./jobs/job-outcome.ts";
import { encodeOutput } from "./jobs/json-value.ts";
import { OwnerTokens, type TokenScope } from "./jobs/owner-token.ts";
import type { AnyPipeline, PipelineInput, PipelineResult } from "./jobs/pipeline.ts";
import type { ReadEventsOptions } from "./jobs/read-events-options.ts";
import type { ScheduleOptions } from "./jobs/schedule-options.ts";
import { ActionRecorder, type Recorded } from "./runtime/action-recorder.ts";
import { BatchAdder } from "./runtime/batch-adder.ts";
import { BulkActions } from "./runtime/bulk-actions.ts";
import { BulkRunner } from "./runtime/bulk-runner.ts";
import { checkedHistory } from "./runtime/checked-history.ts";
import { checkedJobId } from "./runtime/checked-job-id.ts";
import { type CheckOptions, DeployCheck, type UnrunnableJobs } from "./runtime/deploy-check.ts";
import { diagnose } from "./runtime/diagnosis.ts";
import { EventReader } from "./runtime/event-reader.ts";
import { EventTail } from "./runtime/event-tail.ts";
import { HeartbeatCompany } from "./runtime/heartbeat-company.ts";
import { heartbeatSettings } from "./runtime/heartbeat-settings.ts";
import { type AddItem, JobAdder } from "./runtime/job-adder.ts";
import { JobTracing } from "./runtime/job-tracing.ts";
import { PipelineRegistrar } from "./runtime/pipeline-registrar.ts";
import { readQueueMetrics } from "./runtime/queue-metrics.ts";
import { Reader, type ReaderOptions } from "./runtime/reader.ts";
import type { RecordedWrites } from "./runtime/recorded-writes.ts";
import { ResultWaiter } from "./runtime/result-waiter.ts";
import { type Schedule, ScheduleBook } from "./runtime/schedule-book.ts";
import { checkSchema } from "./runtime/schema-check.ts";
import { StepWorker } from "./runtime/step-worker.ts";
import { TransactionAdder } from "./runtime/transaction-adder.ts";
import { servedStages } from "./runtime/work-stage.ts";
import { Worker } from "./runtime/worker.ts";
import type { ActionFilter, RecordedAction } from "./store/action-store.ts";
import { Database } from "./store/database.ts";
import { DatabaseUnavailableError, isUnavailable } from "./store/database-error.ts";
import {
  JobStore,
  type ListFilter,
  type StageCount,
  type Violation,
  type WorkerInfo,
} from "./store/job-store.ts";
import type { Reason } from "./store/reason.ts";
import { type ScheduleFilter, ScheduleStore, type SetAnswer } from "./store/schedule-store.ts";
import type { HistoryFilter, StageHistory } from "./store/stage-numbers.ts";
import type { CancelAnswer, Retried } from "./store/steering-store.ts";
import { UpkeepDatabase, type UpkeepUser } from "./store/upkeep-database.ts";

export const engineVersion = "0.1.0";

/** Makes an engine. Until `start()` it only adds, reads and steers; with it, this process works too. */
export function createEngine(options: EngineOptions): Engine {
  return new Engine(readEngineConfig(options));
}

/** Puts the parts together; it knows all of them and decides nothing. */
export class Engine {
  /** Cancels and retries over many jobs. */
  readonly bulk: BulkActions;
  readonly #config: EngineConfig;
  readonly #events = new EngineEvents();
  readonly #database: Database;
  readonly #outages: UpkeepUser;
  readonly #store: JobStore;
  readonly #registrar: PipelineRegistrar;
  readonly #adder: JobAdder;
  readonly #transactionAdder: TransactionAdder;
  readonly #batchAdder: BatchAdder;
  readonly #recorder: ActionRecorder;
  readonly #results: ResultWaiter;
  readonly #scheduleStore: ScheduleStore;
  readonly #schedules: ScheduleBook;
  readonly #tracing: JobTracing | null;
  readonly #endMetrics: (() => void) | null;
  readonly #tokens: OwnerTokens;
  readonly #eventTail: EventTail;
  readonly #eventReader: EventReader;
  readonly #readers = new Set<Reader>();
  readonly #stopping = new AbortController();
  #bulkRunner: BulkRunner | null = null;
  #upkeep: UpkeepDatabase | null = null;
  #worker: Worker | null = null;
  #starting: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;

  constructor(config: EngineConfig) {
    const { clock, pipelines, logger, telemetry } = config;
    const events = this.#events;
    this.#config = config;
    if (logger !== null) logEvents(events, logger, clock);
    this.#tracing = JobTracing.from(telemetry, engineVersion);
    this.#endMetrics = meterEvents({
      telemetry,
      version: engineVersion,
      events,
      health: () => this.health(),
    });
    this.#outages = {
      onDown: (error) => events.emit("database.down", { error }),
      onUp: () => events.emit("database.up", {}),
    };
    this.#database = new Database({
      url: config.databaseUrl,
      connections: config.connections,
      transactionPooler: config.transactionPooler,
      applicationName: `lockstep ${config.workerName ?? "engine"}`,
      ...this.#outages,
    });
    this.#store = new JobStore(this.#database);
    this.#registrar = new PipelineRegistrar({ pipelines, store: this.#store, clock });
    const ready = () => this.#registrar.register();
    const onAdded = () => this.#worker?.lookNow();
    const adding = { clock, events, ready, onAdded, tracing: this.#tracing };
    this.#adder = new JobAdder({ store: this.#store, ...adding });
    this.#batchAdder = new BatchAdder({ store: this.#store.batches, ...adding });
    this.#transactionAdder = new TransactionAdder({ clock, ready, tracing: this.#tracing });
    this.#recorder = new ActionRecorder({
      ...adding,
      database: this.#database,
      pipelineOf: (pipeline) => this.#pipelineOf(pipeline),
      onSchedules: () => this.#worker?.lookAtSchedules(),
      onBulk: () => this.#bulkRunner?.wake(),
    });
    this.bulk = new BulkActions({ store: this.#store.bulk, onStarted: () => this.#bulkRunner?.wake() });
    this.#results = new ResultWaiter({ store: this.#store, clock, events });
    this.#scheduleStore = new ScheduleStore(this.#database);
    this.#schedules = new ScheduleBook({
      store: this.#scheduleStore,
      clock,
      ready: () => this.#registrar.register(),
      onChanged: () => this.#worker?.lookAtSchedules(),
    });
    this.#tokens = new OwnerTokens([config.tokenSecret ?? []].flat());
    this.#eventTail = new EventTail({ store: this.#store, clock });
    this.#eventReader = new EventReader({
      store: this.#store,
      clock,
      tail: this.#eventTail,
      scopeOf: (token) => this.tokenScope(token),
      stopping: this.#stopping.signal,
    });
  }

  /** The pipelines of this process. */
  get pipelines(): readonly AnyPipeline[] {
    return this.#config.pipelines;
  }

  /** Brings the database's schema to this version. */
  migrate(): Promise<Migrated> {
    return migrate({ databaseUrl: this.#config.databaseUrl }).catch(refuseNamed);
  }

  /** What `migrate` would do; changes nothing. */
  planMigration(): Promise<MigrationPlan> {
    return planMigration({ databaseUrl: this.#config.databaseUrl }).catch(refuseNamed);
  }

  /**
   * With a `tx`, the job commits or rolls back with that open transaction of the caller's. A pipeline of another process
   * goes by its name; its payload is then checked where the job runs.
   */
  add<P extends AnyPipeline>(
    pipeline: P,
    payload: PipelineInput<P>,
    options?: AddOptions & TransactionOption,
  ): Promise<Added<PipelineResult<P>>>;
  add(pipeline: string, payload: unknown, options?: AddOptions & TransactionOption): Promise<Added>;
  async add(
    pipeline: AnyPipeline | string,
    payload: unknown,
    options: AddOptions & TransactionOption = {},
  ): Promise<Added> {
    const into = this.#pipelineOf(pipeline);
    if (!isInTransaction(options)) return this.#adder.add(into, payload, options);
    const { tx, ...rest } = options;
    const [added] = await this.#transactionAdder.add(into, [{ ...rest, payload }], tx);
    return added as Added;
  }

  /** All are added, or none. */
  addMany<P extends AnyPipeline>(
    pipeline: P,
    items: readonly AddItem<PipelineInput<P>>[],
    options?: TransactionOption,
  ): Promise<Added<PipelineResult<P>>[]>;
  addMany(pipeline: string, items: readonly AddItem[], options?: TransactionOption): Promise<Added[]>;
  async addMany(
    pipeline: AnyPipeline | string,
    items: readonly AddItem[],
    options: TransactionOption = {},
  ): Promise<Added[]> {
    checkAddManyOptions(options);
    const into = this.#pipelineOf(pipeline);
    return await (isInTransaction(options)
      ? this.#transactionAdder.add(into, items, options.tx)
      : this.#adder.addMany(into, items));
  }

  /** Adds jobs that are counted together, and a job that runs when all of them have ended. All are added, or none. */
  addBatch<P extends AnyPipeline, Follower extends AnyPipeline = never>(
    pipeline: P,
    items: readonly AddItem<PipelineInput<P>>[],
    options: AddBatchOptions<Follower> = {},
  ): Promise<AddedBatch<PipelineResult<P>, PipelineResult<Follower>>> {
    return this.#batchAdder.add(pipeline, items, options) as Promise<
      AddedBatch<PipelineResult<P>, PipelineResult<Follower>>
    >;
  }

  /** No more jobs join this batch. False when it was closed before, or is not there. */
  async closeBatch(id: string): Promise<boolean> {
    return (await this.#store.batches.close(checkedBatchId(id))) === "closed";
  }

  async batch(id: string): Promise<Batch | null> {
    return await this.#store.batches.get(checkedBatchId(id));
  }

  /** What became of a batch's finished jobs, by id; the id of the last one is the next page's `after`. */
  async batchResults(
    id: string,
    { after, limit = 1_000 }: { readonly after?: string; readonly limit?: number } = {},
  ): Promise<JobOutcome[]> {
    const page = after === undefined ? null : checkedJobId(after);
    return await this.#store.batches.results(checkedBatchId(id), page, limit);
  }

  async get<Result>(id: JobId<Result>): Promise<Job<Result> | null> {
    return (await this.#store.get(checkedJobId(id))) as Job<Result> | null;
  }

  /** Newest first; the id of the last one is the next page's `before`. */
  async list(filter: ListFilter = {}): Promise<JobSummary[]> {
    if (filter.before !== undefined) checkedJobId(filter.before);
    return await this.#store.list(filter);
  }

  /** What the last stage returned. Rejects when the job fails, is cancelled, or `timeoutMs` is over. */
  result<Result>(id: JobId<Result>, options: { readonly timeoutMs?: number } = {}): Promise<Result> {
    return this.#results.wait(id, { timeoutMs: options.timeoutMs ?? null }) as Promise<Result>;
  }

  /** With `ifVersion`, only as the job was at that version; otherwise "changed". */
  async cancel(id: JobId, options: { readonly ifVersion?: string | undefined } = {}): Promise<CancelAnswer> {
    const answer = await this.#store.cancel(checkedJobId(id), options.ifVersion ?? null);
    if (answer === "cancelled") this.#events.emit("job.cancelled", { jobId: id });
    return answer;
  }

  /** Runs a failed or cancelled job again: at the stage where it ended, or at an earlier one. */
  async retry(
    id: JobId,
    options: { readonly fromStage?: string | undefined; readonly ifVersion?: string | undefined } = {},
  ): Promise<Retried> {
    const { fromStage = null, ifVersion = null } = options;
    const retried = await this.#store.retry(checkedJobId(id), fromStage, ifVersion);
    if (retried.answer === "applied") {
      this.#events.emit("job.retried", { jobId: id });
      this.#worker?.lookNow();
    }
    return retried;
  }

  /**
   * What a person asks for: the writes of `run`, the row that says who did it, and under an idempotency key the answer,
   * all in one transaction. What `run` throws undoes them.
   */
  recorded<Answer>(act: Act, run: (writes: RecordedWrites) => Promise<Answer>): Promise<Recorded<Answer>> {
    return this.#recorder.run(act, run);
  }

  /** Drives all unfinished bulk actions once it is started, whoever began them, until it or the engine is stopped. */
  bulkRunner(): BulkRunner {
    const parts = { store: this.#store.bulk, clock: this.#config.clock, events: this.#events };
    this.#bulkRunner ??= new BulkRunner(parts);
    return this.#bulkRunner;
  }

  /** What people did, newest first; the id of the last one is the next page's `before`. */
  async recordedActions(filter: ActionFilter = {}): Promise<RecordedAction[]> {
    return await this.#store.actions.list(filter);
  }

  /** Stops claims in a stage, on every worker. */
  pause(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    return this.#store.pause(nameOf(pipeline), stage);
  }

  resume(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    return this.#store.resume(nameOf(pipeline), stage);
  }

  /** Adds a job at every tick of a cron pattern, once over all workers. Sets the schedule of this name, or changes it. */
  schedule<P extends AnyPipeline>(
    name: string,
    pipeline: P,
    options: ScheduleOptions<PipelineInput<P>>,
  ): Promise<SetAnswer> {
    return this.#schedules.set(name, pipeline, options);
  }

  /** By name, each with its next five runs; the name of the last one is the next page's `after`. */
  schedules(filter: ScheduleFilter = {}): Promise<Schedule[]> {
    return this.#schedules.list(filter);
  }

  /** Says whether that changed anything. */
  pauseSchedule(name: string): Promise<boolean> {
    return this.#schedules.pause(name);
  }

  /** Goes on with the first tick after now: what came while it was paused is not made up for. */
  resumeSchedule(name: string): Promise<boolean> {
    return this.#schedules.resume(name);
  }

  /** Says whether there was one. Jobs that it has added stay. */
  removeSchedule(name: string): Promise<boolean> {
    return this.#schedules.remove(name);
  }

  stats(): Promise<StageCount[]> {
    return this.#store.stats();
  }

  workers(): Promise<WorkerInfo[]> {
    return this.#store.workers();
  }

  /**
   * Follows the realtime log: what happens to jobs with an owner, and to all jobs of pipelines with `events: true`,
   * wherever they run. Waits at the end for more, until the signal aborts or the engine stops.
   */
  readEvents(options: ReadEventsOptions = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    return this.#eventReader.read(options);
  }

  /** A cursor for `after` of `readEvents`: all that happens once it is there, and nothing before. */
  async eventCursor(): Promise<string> {
    const { cursor } = await this.#store.readEvents(null, { owner: null, pipeline: null, jobId: null }, 1);
    return cursor;
  }

  /** Signed with `tokenSecret`: lets whoever has it read the events of this owner's jobs, and no others. */
  ownerToken(owner: string, options: { readonly expiresInMs: number }): string {
    return this.#tokens.sign(owner, options?.expiresInMs, this.#config.clock.now().getTime());
  }

  /** The same for the events of one job, whoever it belongs to. */
  jobToken(id: JobId, options: { readonly expiresInMs: number }): string {
    const nowMs = this.#config.clock.now().getTime();
    return this.#tokens.signForJob(checkedJobId(id), options?.expiresInMs, nowMs);
  }

  /** What a token opens, and until when. Throws an OwnerTokenError for one that is not genuine, or over. */
  tokenScope(token: string): TokenScope {
    return this.#tokens.scopeOf(token, this.#config.clock.now().getTime());
  }

  /** Throws an OwnerTokenError for a token that is not genuine, is over, or speaks for no owner. */
  ownerOf(token: string): string {
    return this.#tokens.ownerOf(token, this.#config.clock.now().getTime());
  }

  /** What happened in a pipeline's stages, step by step: the last hour by the minute, unless told otherwise. */
  async history(pipeline: AnyPipeline | string, filter: HistoryFilter = {}): Promise<StageHistory[]> {
    return await this.#store.history(nameOf(pipeline), checkedHistory(filter));
  }

  /** The whole queue in numbers, as text that Prometheus reads. */
  metrics(): Promise<string> {
    return readQueueMetrics({ store: this.#store, clock: this.#config.clock });
  }

  /** Why a job is not running, in sentences and numbers. */
  async explain(id: JobId): Promise<Reason[]> {
    return await this.#store.explain(checkedJobId(id));
  }

  /** What the ledger of `once` holds of a job. */
  async effects(id: JobId): Promise<Effect[]> {
    return await this.#store.effects.list(checkedJobId(id));
  }

  /** Lets one effect of a job, or all of them, run anew at its next try; says how many there were. */
  async forgetEffects(id: JobId, key?: string): Promise<number> {
    return await this.#store.effects.forget(checkedJobId(id), key ?? null);
  }

  /** Records that an effect did happen, and what later tries get for it; says whether the job has such an effect. */
  async confirmEffect(id: JobId, key: string, value?: unknown): Promise<boolean> {
    return await this.#store.effects.confirm(checkedJobId(id), key, encodeOutput(value));
  }

  /** Takes back the jobs of lost workers now; says how many. */
  resetStalled(): Promise<number> {
    return this.#store.resetStalled();
  }

  /** The invariants that do not hold; none, when all is well. */
  verify(): Promise<Violation[]> {
    return this.#store.verify();
  }

  /** What may keep the queue from working well: the way to the database, its settings, vacuum, indexes, workers. */
  diagnose(): Promise<Finding[]> {
    return diagnose({ config: this.#config, database: this.#database, store: this.#store });
  }

  /** The jobs in flight that this code cannot run; none: it may be deployed. Changes nothing. */
  async check(options: CheckOptions = {}): Promise<UnrunnableJobs[]> {
    await checkSchema(this.#store);
    return await new DeployCheck(this.#store, this.#config.pipelines).run(options);
  }

  /** Reads for people on a small pool of their own, read-only. Closed with the engine, or before. */
  reader(options: ReaderOptions = {}): Reader {
    const { databaseUrl, transactionPooler, workerName, clock } = this.#config;
    const { connections = 3, statementTimeoutMs = 2_000 } = options;
    const reader = new Reader(clock, {
      url: databaseUrl,
      connections,
      statementTimeoutMs,
      transactionPooler,
      applicationName: `lockstep ${workerName ?? "engine"} reader`,
      onDown: () => undefined,
      onUp: () => undefined,
    });
    this.#readers.add(reader);
    return reader;
  }

  /** For how many days finished jobs and events are kept. */
  get retention(): Pick<EngineConfig, "keepCompletedDays" | "keepFailedDays" | "keepEventsDays"> {
    const { keepCompletedDays, keepFailedDays, keepEventsDays } = this.#config;
    return { keepCompletedDays, keepFailedDays, keepEventsDays };
  }

  /** How this worker finds itself; null while it does not work. */
  health(): HealthReport | null {
    return this.#worker?.health() ?? null;
  }

  /** How long a wake-up takes to be heard by this worker, 500 at most; null while it does not listen. */
  async notifyLagMs(): Promise<number | null> {
    return (await this.#worker?.notifyLagMs()) ?? null;
  }

  on<Name extends EngineEventName>(name: Name, listener: EngineEventListener<Name>): () => void {
    return this.#events.on(name, listener);
  }

  onAny(listener: AnyEngineEventListener): () => void {
    return this.#events.onAny(listener);
  }

  /** Makes this process a worker. Waits for a database that is not up yet. */
  async start(): Promise<void> {
    if (this.#stopped !== null) {
      throw new Error("This engine was stopped and does not start again: make a new one with createEngine.");
    }
    // What has failed may be tried again, say after a migrate().
    this.#starting ??= this.#start().catch((error) => {
      this.#starting = null;
      throw error;
    });
    await this.#starting;
  }

  /** In place of start(), for tests: a worker that works only when it is told. Stop it before the engine. */
  async stepWorker(options: { readonly handlerLimitMs: number }): Promise<StepWorker> {
    return new StepWorker({
      config: this.#config,
      stages: servedStages(await this.#registrar.register(), this.#config.stages),
      store: this.#store,
      schedules: this.#scheduleStore,
      events: this.#events,
      version: engineVersion,
      newWorkerId: randomUUID,
      handlerLimitMs: options.handlerLimitMs,
    });
  }

  /**
   * Drains: no more claims, waiting jobs given back, running ones given `drainTimeoutMs`.
   * A second call cuts the drain short. Legal before `start()` and twice.
   */
  stop(): Promise<void> {
    if (this.#stopped === null) this.#stopped = this.#stop();
    else this.#worker?.abort();
    return this.#stopped;
  }

  async #start(): Promise<void> {
    if (this.#config.pipelines.length === 0) {
      throw new Error(
        "This engine has no pipelines to work on: give createEngine some, or leave out start().",
      );
    }
    if (!(await this.#registrar.reachPatiently(this.#stopping.signal))) return;
    // Begun while the server plans: sooner it would hold up the connection, and later the first jobs.
    const company = HeartbeatCompany.reserve(this.#config.clock, heartbeatSettings(this.#config));
    try {
      await this.#startWorker();
    } finally {
      await company.unreserve();
    }
  }

  async #startWorker(): Promise<void> {
    const registered = await this.#registrar.registerPatiently(this.#stopping.signal);
    if (registered === null) return;
    const stages = servedStages(registered, this.#config.stages);
    const { clock, databaseUrl: url, transactionPooler } = this.#config;
    this.#upkeep ??= UpkeepDatabase.join(clock, { url, transactionPooler }, this.#outages);
    const worker = new Worker({
      config: this.#config,
      stages,
      store: this.#store,
      upkeepStore: new JobStore(this.#upkeep.database),
      schedules: new ScheduleStore(this.#upkeep.database),
      events: this.#events,
      version: engineVersion,
      tracing: this.#tracing,
      newWorkerId: randomUUID,
      onSpent: (sentence) => this.#spent(sentence),
    });
    if (!(await worker.start(this.#stopping.signal))) return;
    this.#worker = worker;
    this.#events.emit("engine.started", { workerId: worker.workerId });
  }

  async #stop(): Promise<void> {
    this.#events.emit("engine.stopping", {});
    this.#stopping.abort();
    await this.#starting?.catch(() => {});
    await this.#worker?.stop();
    await this.#bulkRunner?.stop();
    await this.#results.stop();
    await this.#eventTail.stop();
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await Promise.all([this.#upkeep?.leave(this.#outages), this.#database.close(this.#config.clock)]);
    this.#endMetrics?.();
    this.#events.emit("engine.stopped", {});
  }

  #pipelineOf(pipeline: AnyPipeline | string): AnyPipeline {
    if (typeof pipeline !== "string") return pipeline;
    return this.#config.pipelines.find(({ name }) => name === pipeline) ?? barePipeline(pipeline);
  }

  #spent(sentence: string): void {
    this.#events.emit("engine.error", {
      error: new Error(`${sentence} This worker drains now; let its process be started anew.`),
    });
    this.stop().catch((error) => this.#events.emitError(error));
  }
}

/** The driver's own words do not say what to do. */
function refuseNamed(error: unknown): never {
  throw isUnavailable(error) && !(error instanceof SchemaTooNewError)
    ? new DatabaseUnavailableError(error)
    : error;
}

// Also when it is undefined: whoever gives a tx does not want the job without it.
function isInTransaction(options: TransactionOption): boolean {
  return typeof options === "object" && options !== null && "tx" in options;
}

function nameOf(pipeline: AnyPipeline | string): string {
  return typeof pipeline === "string" ? pipeline : pipeline.name;
}
