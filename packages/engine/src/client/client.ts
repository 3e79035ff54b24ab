import {
  type Migrated,
  MigrateError,
  type MigrateLimits,
  type MigrationPlan,
  migrate,
  planMigration,
  type SchemaOptions,
} from "@lockstep/database";
import type { Act } from "../jobs/adding/act.ts";
import { type AddOptions, checkAddManyOptions, type TransactionOption } from "../jobs/adding/add-options.ts";
import { type AddBatchOptions, type AddedBatch, checkedBatchId } from "../jobs/adding/batch.ts";
import type { SignalAnswer, SignalledByKey, SignalOptions } from "../jobs/adding/signal.ts";
import type {
  AnyPipeline,
  PipelineInput,
  PipelineResult,
  PipelineSignals,
} from "../jobs/pipelines/pipeline.ts";
import { pipelineName } from "../jobs/pipelines/pipeline-name.ts";
import type { Added, JobId } from "../jobs/reading/job.ts";
import type { ScheduleOptions } from "../jobs/schedules/schedule-options.ts";
import { encodeOutput } from "../jobs/values/json-value.ts";
import {
  DatabaseUnavailableError,
  isReadOnlyCode,
  isUnavailable,
} from "../store/connections/database-error.ts";
import type { SetAnswer } from "../store/steering/schedule-store.ts";
import type { CancelAnswer, Forked, Retried } from "../store/steering/steering-store.ts";
import type { AddItem } from "./adding/job-adder.ts";
import { newJobId } from "./adding/new-job-id.ts";
import type { ClientAssembly } from "./client-assembly.ts";
import { checkedJobId } from "./reading/checked-job-id.ts";
import { ReadingClient } from "./reading-client.ts";
import type { Recorded } from "./steering/action-recorder.ts";
import type { Approval, ApprovalLinkOptions, Decision } from "./steering/approvals.ts";
import type { BulkActions } from "./steering/bulk-actions.ts";
import type { BulkRunner } from "./steering/bulk-runner.ts";
import type { RecordedWrites } from "./steering/recorded-writes.ts";

/** The part of an engine that any process may use, worker or not: it reads, adds and steers. */
export class Client extends ReadingClient {
  /** Cancels and retries over many jobs. */
  readonly bulk: BulkActions;
  readonly #assembly: ClientAssembly;

  constructor(assembly: ClientAssembly) {
    super(assembly);
    this.#assembly = assembly;
    this.bulk = assembly.bulk;
  }

  /**
   * Brings the database's schema to this version. Where an open transaction holds a table that has to change, it tries again for
   * `lockPatienceMs` (60,000), while jobs keep running, and tells `onWaiting` who is in the way. A newer schema that this code can use is
   * left alone. A migration that breaks older code is refused while workers are running, unless `allowBreaking` is set.
   */
  migrate(options: MigrateLimits = {}): Promise<Migrated> {
    return migrate({ ...options, ...this.#where() }).catch(refuseNamed);
  }

  #where(): SchemaOptions {
    const { databaseUrl, connection, pool, schema } = this.#assembly.config;
    return {
      databaseUrl: databaseUrl ?? undefined,
      connection: connection ?? undefined,
      pool: pool ?? undefined,
      schema,
    } as SchemaOptions;
  }

  /** What `migrate` would do; changes nothing. */
  planMigration(): Promise<MigrationPlan> {
    return planMigration(this.#where()).catch(refuseNamed);
  }

  /**
   * With a `tx`, the job commits or rolls back with that open transaction of the caller's. Give the name of a
   * pipeline that another process defines; its payload is then checked where the job runs.
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
    const { adder, transactionAdder, writes } = this.#assembly;
    const into = this.#assembly.pipelineOf(pipeline);
    if (!isInTransaction(options)) return writes.add(adder.add(into, payload, options));
    const { tx, ...rest } = options;
    const [added] = await transactionAdder.add(into, [{ ...rest, payload }], tx);
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
    const { adder, transactionAdder, writes } = this.#assembly;
    const into = this.#assembly.pipelineOf(pipeline);
    return await (isInTransaction(options)
      ? transactionAdder.add(into, items, options.tx)
      : writes.add(adder.addMany(into, items)));
  }

  /** Adds jobs that are counted together, and a job that runs when all of them have ended. All are added, or none. */
  addBatch<P extends AnyPipeline, Follower extends AnyPipeline = never>(
    pipeline: P,
    items: readonly AddItem<PipelineInput<P>>[],
    options: AddBatchOptions<Follower> = {},
  ): Promise<AddedBatch<PipelineResult<P>, PipelineResult<Follower>>> {
    const { batchAdder, writes } = this.#assembly;
    return writes.add(batchAdder.add(pipeline, items, options)) as Promise<
      AddedBatch<PipelineResult<P>, PipelineResult<Follower>>
    >;
  }

  /** No more jobs join this batch. False when it was closed before, or is not there. */
  async closeBatch(id: string): Promise<boolean> {
    return (await this.#assembly.stores.batches.close(checkedBatchId(id))) === "closed";
  }

  /** With `ifVersion`, only as the job was at that version; otherwise "changed". */
  async cancel(id: JobId, options: { readonly ifVersion?: string | undefined } = {}): Promise<CancelAnswer> {
    const { stores, events } = this.#assembly;
    const answer = await stores.steering.cancel(checkedJobId(id), options.ifVersion ?? null);
    if (answer === "cancelled") events.emit("job.cancelled", { jobId: id });
    return answer;
  }

  /** Runs a failed or cancelled job again: at the stage where it ended, or at an earlier one. */
  async retry(
    id: JobId,
    options: { readonly fromStage?: string | undefined; readonly ifVersion?: string | undefined } = {},
  ): Promise<Retried> {
    const { stores, events, onAdded } = this.#assembly;
    const { fromStage = null, ifVersion = null } = options;
    const retried = await stores.steering.retry(checkedJobId(id), fromStage, ifVersion);
    if (retried.answer === "applied") {
      events.emit("job.retried", { jobId: id });
      onAdded();
    }
    return retried;
  }

  /**
   * Runs a finished job again as a new one, from its first stage or from `fromStage`, with the outputs of the stages before. The
   * finished job stays as it is; the new one has it as `forkedFrom`.
   */
  async fork<Result>(
    id: JobId<Result>,
    options: { readonly fromStage?: string | undefined; readonly ifVersion?: string | undefined } = {},
  ): Promise<Forked<Result>> {
    const { stores, clock, onAdded } = this.#assembly;
    const { fromStage = null, ifVersion = null } = options;
    const newId = newJobId(clock.now());
    const forked = await stores.steering.fork(checkedJobId(id), fromStage, newId, ifVersion);
    if (forked.answer === "forked") onAdded();
    return forked as Forked<Result>;
  }

  /**
   * Tells a job what one of its waits is for. A signal that comes early is kept until the job is there. With the job's pipeline, the
   * value is typed, and checked by the validator of the wait; with a `tx`, the signal counts if that transaction commits.
   */
  signal<P extends AnyPipeline, Name extends keyof PipelineSignals<P> & string>(
    pipeline: P,
    id: JobId,
    name: Name,
    value: PipelineSignals<P>[Name],
    options?: SignalOptions & TransactionOption,
  ): Promise<SignalAnswer>;
  signal(
    id: JobId,
    name: string,
    value?: unknown,
    options?: SignalOptions & TransactionOption,
  ): Promise<SignalAnswer>;
  signal(first: AnyPipeline | string, ...rest: unknown[]): Promise<SignalAnswer> {
    const isTyped = typeof first !== "string";
    const [id, name, value, options = {}] = (isTyped ? rest : [first, ...rest]) as SignalArguments;
    const signalled = this.#assembly.signaller.signal(isTyped ? first : null, id, name, value, options);
    return this.#assembly.writes.add(signalled);
  }

  /** The same for those who do not know the id: the key was given with the add (`signalKey`) or by a handler. */
  signalByKey<P extends AnyPipeline, Name extends keyof PipelineSignals<P> & string>(
    pipeline: P,
    key: string,
    name: Name,
    value: PipelineSignals<P>[Name],
    options?: Pick<SignalOptions, "by"> & TransactionOption,
  ): Promise<SignalledByKey>;
  signalByKey(
    pipeline: string,
    key: string,
    name: string,
    value?: unknown,
    options?: Pick<SignalOptions, "by"> & TransactionOption,
  ): Promise<SignalledByKey>;
  signalByKey(
    pipeline: AnyPipeline | string,
    key: string,
    name: string,
    value: unknown = null,
    options: Pick<SignalOptions, "by"> & TransactionOption = {},
  ): Promise<SignalledByKey> {
    const { signaller, writes } = this.#assembly;
    return writes.add(signaller.signalByKey(this.#assembly.pipelineOf(pipeline), key, name, value, options));
  }

  /**
   * A link by which somebody decides on a job that comes to this wait: signed with `tokenSecret`, for a limited time, and good for one
   * decision. It holds for what there is to show of the job now: its payload, and the outputs so far. The server shows its page.
   */
  approvalLink(id: JobId, wait: string, options: ApprovalLinkOptions): Promise<string> {
    return this.#assembly.approvals.link(id, wait, options);
  }

  /** What the token of such a link asks to decide. Throws an ApprovalError for one that is not genuine, or over. */
  approval(token: string): Promise<Approval> {
    return this.#assembly.approvals.read(token);
  }

  /** Decides it, in the name of whom the link was made for. */
  decide(token: string, value: unknown): Promise<Decision> {
    return this.#assembly.writes.add(this.#assembly.approvals.decide(token, value));
  }

  /**
   * What a person asks for: the writes of `run`, the row that says who did it, and under an idempotency key the answer,
   * all in one transaction. What `run` throws undoes them.
   */
  recorded<Answer>(act: Act, run: (writes: RecordedWrites) => Promise<Answer>): Promise<Recorded<Answer>> {
    return this.#assembly.writes.add(this.#assembly.recorder.run(act, run));
  }

  /** Drives all unfinished bulk actions once it is started, whoever began them, until it or the engine is stopped. */
  bulkRunner(): BulkRunner {
    return this.#assembly.bulkRunner();
  }

  /** Stops claims in a stage, on every worker. */
  pause(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    return this.#assembly.stores.steering.pause(pipelineName(pipeline), stage);
  }

  resume(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    return this.#assembly.stores.steering.resume(pipelineName(pipeline), stage);
  }

  /**
   * Adds a job at every tick of a cron pattern, once over all workers. Sets the schedule of this name, or changes it. Give
   * the name of a pipeline that another process defines, as in `add`.
   */
  schedule<P extends AnyPipeline>(
    name: string,
    pipeline: P,
    options: ScheduleOptions<PipelineInput<P>>,
  ): Promise<SetAnswer>;
  schedule(name: string, pipeline: string, options: ScheduleOptions): Promise<SetAnswer>;
  schedule(name: string, pipeline: AnyPipeline | string, options: ScheduleOptions): Promise<SetAnswer> {
    return this.#assembly.schedules.set(name, this.#assembly.pipelineOf(pipeline), options);
  }

  /** Says whether that changed anything. */
  pauseSchedule(name: string): Promise<boolean> {
    return this.#assembly.schedules.pause(name);
  }

  /** Continues with the next tick after now: ticks that came while it was paused get no jobs. */
  resumeSchedule(name: string): Promise<boolean> {
    return this.#assembly.schedules.resume(name);
  }

  /** Says whether there was one. Jobs that it has added stay. */
  removeSchedule(name: string): Promise<boolean> {
    return this.#assembly.schedules.remove(name);
  }

  /** Lets one effect of a job, or all of them, run again at its next attempt; returns how many there were. */
  async forgetEffects(id: JobId, key?: string): Promise<number> {
    return await this.#assembly.stores.effects.forget(checkedJobId(id), key ?? null);
  }

  /** Records that an effect did happen, and what later attempts get for it; says whether the job has such an effect. */
  async confirmEffect(id: JobId, key: string, value?: unknown): Promise<boolean> {
    return await this.#assembly.stores.effects.confirm(checkedJobId(id), key, encodeOutput(value));
  }

  /**
   * Sets the limit of a budget, for all owners, groups or pipelines or for one, while jobs run; those that wait go on if there is room. It
   * stays until it is taken back with null, whatever the code says. Recorded with who did it; says whether it changed anything.
   */
  async setBudgetLimit(
    name: string,
    limit: number | null,
    options: {
      readonly by: string;
      readonly scope?: string | undefined;
      readonly reason?: string | undefined;
    },
  ): Promise<boolean> {
    const { by, scope = null, reason = null } = options;
    const setting = this.#assembly.stores.budgetLimits.setLimit({ name, limit, scope, by, reason });
    const isChanged = await this.#assembly.writes.add(setting);
    if (isChanged) this.#assembly.onAdded();
    return isChanged;
  }

  /** Takes back the jobs of lost workers now; says how many. */
  resetStalled(): Promise<number> {
    return this.#assembly.stores.upkeep.resetStalled();
  }
}

type SignalArguments = [
  id: string,
  name: string,
  value?: unknown,
  options?: SignalOptions & TransactionOption,
];

/** The driver's own words do not say what to do. */
function refuseNamed(error: unknown): never {
  // A server that cannot be written may become the primary: whoever waits out an outage waits for that too.
  const told = error instanceof MigrateError && isReadOnlyCode(error.cause) ? error.cause : error;
  throw isUnavailable(told) && !(told instanceof MigrateError) ? new DatabaseUnavailableError(told) : told;
}

// Also when it is undefined: whoever gives a tx does not want the job without it.
function isInTransaction(options: TransactionOption): boolean {
  return typeof options === "object" && options !== null && "tx" in options;
}
