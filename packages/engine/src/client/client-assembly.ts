import { setMaxListeners } from "node:events";
import type { Clock } from "../clock.ts";
import type { EngineConfig } from "../engine-config.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { JobTracing } from "../events/job-tracing.ts";
import { barePipeline } from "../jobs/pipelines/bare-pipeline.ts";
import type { AnyPipeline } from "../jobs/pipelines/pipeline.ts";
import { ApprovalTokens } from "../jobs/reading/approval-token.ts";
import { OwnerTokens } from "../jobs/reading/owner-token.ts";
import { Database } from "../store/connections/database.ts";
import { type OutageListener, Outages } from "../store/connections/outages.ts";
import { Stores } from "../store/stores.ts";
import { settledWithin } from "../waiting/settled-within.ts";
import { UnderWay } from "../waiting/under-way.ts";
import { BatchAdder } from "./adding/batch-adder.ts";
import { JobAdder } from "./adding/job-adder.ts";
import { TransactionAdder } from "./adding/transaction-adder.ts";
import { EventReader } from "./reading/event-reader.ts";
import { EventTail } from "./reading/event-tail.ts";
import { Reader, type ReaderOptions } from "./reading/reader.ts";
import { ResultWaiter } from "./results/result-waiter.ts";
import { ScheduleBook } from "./schedules/schedule-book.ts";
import { PipelineRegistrar } from "./schema/pipeline-registrar.ts";
import { ActionRecorder } from "./steering/action-recorder.ts";
import { Approvals } from "./steering/approvals.ts";
import { BulkActions } from "./steering/bulk-actions.ts";
import { BulkRunner } from "./steering/bulk-runner.ts";
import { Signaller } from "./steering/signaller.ts";
import { traceWaits } from "./steering/wait-spans.ts";
import { StreamHub } from "./streams/stream-hub.ts";
import { StreamReader } from "./streams/stream-reader.ts";

export interface ClientParts {
  readonly config: EngineConfig;
  readonly events: EngineEvents;
  /** None when nobody would see the spans. */
  readonly tracing: JobTracing | null;
  /** The engine's end: whoever follows events stops. */
  readonly stopping: AbortSignal;
  /** There may be something to do for a worker in this process: jobs, or schedules. */
  readonly onAdded: () => void;
  readonly onSchedules: () => void;
}

// How long a stop waits for calls to a database that does not answer.
const hangingLimitMs = 1_000;

/** What a process needs to add, read and steer: the pool and all that works on it, made together and stopped together. */
export class ClientAssembly {
  readonly config: EngineConfig;
  readonly events: EngineEvents;
  readonly clock: Clock;
  readonly outages: Outages;
  readonly stores: Stores;
  readonly registrar: PipelineRegistrar;
  readonly adder: JobAdder;
  readonly transactionAdder: TransactionAdder;
  readonly batchAdder: BatchAdder;
  readonly recorder: ActionRecorder;
  readonly bulk: BulkActions;
  readonly signaller: Signaller;
  readonly results: ResultWaiter;
  readonly schedules: ScheduleBook;
  readonly tokens: OwnerTokens;
  readonly approvals: Approvals;
  readonly eventReader: EventReader;
  readonly streamReader: StreamReader;
  /** For a worker in this process: there may be jobs to look for. */
  readonly onAdded: () => void;
  /** What callers have asked to be written and wait for. */
  readonly writes = new UnderWay();
  readonly #database: Database;
  readonly #eventTail: EventTail;
  readonly #streamHub: StreamHub;
  readonly #outageListener: OutageListener;
  readonly #readers = new Set<Reader>();
  readonly #endWaitSpans: (() => Promise<void>) | null;
  #bulkRunner: BulkRunner | null = null;

  constructor({ config, events, tracing, stopping, onAdded, onSchedules }: ClientParts) {
    const { clock, schema, pipelines } = config;
    this.config = config;
    this.events = events;
    this.clock = clock;
    this.onAdded = onAdded;
    this.#outageListener = {
      onDown: (news) => events.emit("database.down", news),
      onUp: (end) => events.emit("database.up", end),
    };
    this.outages = Outages.join(clock, JSON.stringify([config.target.key, schema]), this.#outageListener);
    this.#database = new Database({
      target: config.target,
      pool: config.pool,
      schema,
      connections: config.connections,
      transactionPooler: config.transactionPooler,
      applicationName: `lockstep ${config.workerName ?? "engine"}`,
      outages: this.outages,
    });
    this.stores = new Stores(this.#database);
    const { stores } = this;
    this.registrar = new PipelineRegistrar({
      pipelines,
      store: stores.pipelines,
      schema: stores.schema,
      clock,
      readOnly: this.#outageListener,
      onSchemaBehind: (found, needed) => events.emit("schema.behind", { found, needed }),
    });
    const ready = () => this.registrar.ready();
    const onBulk = () => this.#bulkRunner?.wake();
    const adding = { clock, events, ready, onAdded, tracing };
    const recognition = () => this.registrar.recognition();
    this.adder = new JobAdder({ store: stores.adding, recognition, ...adding });
    this.batchAdder = new BatchAdder({ store: stores.batches, ...adding });
    this.transactionAdder = new TransactionAdder({ schema, clock, ready, tracing });
    this.recorder = new ActionRecorder({
      ...adding,
      database: this.#database,
      pipelineOf: (pipeline) => this.pipelineOf(pipeline),
      onSchedules,
      onBulk,
    });
    this.bulk = new BulkActions({ store: stores.bulk, onStarted: onBulk });
    this.signaller = new Signaller({ store: stores.signals, schema, events, onAdded });
    this.#endWaitSpans = tracing === null ? null : traceWaits({ tracing, events, store: stores.signals });
    this.results = new ResultWaiter({ store: stores.jobs, clock, events });
    this.schedules = new ScheduleBook({ store: stores.schedules, clock, ready, onChanged: onSchedules });
    const secrets = [config.tokenSecret ?? []].flat();
    this.tokens = new OwnerTokens(secrets);
    this.approvals = new Approvals({
      ...{ jobs: stores.jobs, pipelines: stores.pipelines, signals: stores.signals, clock },
      tokens: new ApprovalTokens(secrets),
      onSignalled: (jobId, signal) => {
        events.emit("job.signalled", { jobId, signal });
        onAdded();
      },
    });
    this.#eventTail = new EventTail({ store: stores.events, clock });
    // Everyone who follows events or a stream listens; Node's warning is for listeners that are never removed.
    setMaxListeners(0, stopping);
    const scopeOf = (token: string) => this.tokens.scopeOf(token, clock.now().getTime());
    this.eventReader = new EventReader({
      store: stores.events,
      clock,
      tail: this.#eventTail,
      scopeOf,
      stopping,
    });
    this.#streamHub = new StreamHub({ store: stores.streams, clock });
    this.streamReader = new StreamReader({
      hub: this.#streamHub,
      jobs: stores.jobs,
      clock,
      scopeOf,
      stopping,
    });
  }

  /** A pipeline by its name: this process's own, or another's of which only the name is known. */
  pipelineOf(pipeline: AnyPipeline | string): AnyPipeline {
    if (typeof pipeline !== "string") return pipeline;
    return this.config.pipelines.find(({ name }) => name === pipeline) ?? barePipeline(pipeline);
  }

  bulkRunner(): BulkRunner {
    this.#bulkRunner ??= new BulkRunner({ store: this.stores.bulk, clock: this.clock, events: this.events });
    return this.#bulkRunner;
  }

  reader({ connections = 3, statementTimeoutMs = 2_000 }: ReaderOptions): Reader {
    const { target, schema, transactionPooler, workerName } = this.config;
    const applicationName = `lockstep ${workerName ?? "engine"} reader`;
    const options = { target, schema, connections, statementTimeoutMs, transactionPooler, applicationName };
    const reader = new Reader(this.clock, options, this.stores);
    this.#readers.add(reader);
    return reader;
  }

  async stop(): Promise<void> {
    const { clock } = this;
    // Each waits for its call that is under way. One that hangs ends with its connection.
    const calls = [
      this.#bulkRunner?.stop(),
      this.#endWaitSpans?.(),
      this.writes.settled(),
      this.results.stop(),
      this.#eventTail.stop(),
      this.#streamHub.stop(),
    ];
    await settledWithin(hangingLimitMs, Promise.all(calls), clock);
    await Promise.all([this.#database.close(clock), ...[...this.#readers].map((reader) => reader.close())]);
    this.outages.leave(this.#outageListener);
  }
}
