import { AddingStore } from "./adding/adding-store.ts";
import { BatchStore } from "./adding/batch-store.ts";
import type { Database } from "./connections/database.ts";
import { EventStore } from "./reading/event-store.ts";
import { JobStore } from "./reading/job-store.ts";
import { ListStore } from "./reading/list-store.ts";
import { QueueStore } from "./reading/queue-store.ts";
import { SchemaStore } from "./reading/schema-store.ts";
import { WaitStore } from "./reading/wait-store.ts";
import { ActionStore } from "./steering/action-store.ts";
import { BudgetLimits } from "./steering/budget-limits.ts";
import { BulkStore } from "./steering/bulk-store.ts";
import { PipelineStore } from "./steering/pipeline-store.ts";
import { ScheduleStore } from "./steering/schedule-store.ts";
import { SignalStore } from "./steering/signal-store.ts";
import { SteeringStore } from "./steering/steering-store.ts";
import { BudgetStore } from "./working/budget-store.ts";
import { ClaimStore } from "./working/claim-store.ts";
import { EffectStore } from "./working/effect-store.ts";
import { StreamStore } from "./working/stream-store.ts";
import { UpkeepStore } from "./working/upkeep-store.ts";
import { WorkerStore } from "./working/worker-store.ts";

/** The doors to the queue on one pool: a store for each subject, with a method for each SQL function. */
export class Stores {
  readonly adding: AddingStore;
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly lists: ListStore;
  readonly waits: WaitStore;
  readonly queue: QueueStore;
  readonly events: EventStore;
  readonly schema: SchemaStore;
  readonly pipelines: PipelineStore;
  readonly steering: SteeringStore;
  readonly signals: SignalStore;
  readonly schedules: ScheduleStore;
  readonly bulk: BulkStore;
  readonly actions: ActionStore;
  readonly workers: WorkerStore;
  readonly claims: ClaimStore;
  readonly effects: EffectStore;
  readonly streams: StreamStore;
  readonly budgets: BudgetStore;
  readonly budgetLimits: BudgetLimits;
  readonly upkeep: UpkeepStore;

  constructor(database: Database) {
    this.adding = new AddingStore(database);
    this.batches = new BatchStore(database);
    this.jobs = new JobStore(database);
    this.lists = new ListStore(database);
    this.waits = new WaitStore(database);
    this.queue = new QueueStore(database);
    this.events = new EventStore(database);
    this.schema = new SchemaStore(database);
    this.pipelines = new PipelineStore(database);
    this.steering = new SteeringStore(database);
    this.signals = new SignalStore(database);
    this.schedules = new ScheduleStore(database);
    this.bulk = new BulkStore(database);
    this.actions = new ActionStore(database);
    this.workers = new WorkerStore(database);
    this.claims = new ClaimStore(database);
    this.effects = new EffectStore(database);
    this.streams = new StreamStore(database);
    this.budgets = new BudgetStore(database);
    this.budgetLimits = new BudgetLimits(database);
    this.upkeep = new UpkeepStore(database);
  }
}
