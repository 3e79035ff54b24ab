import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { JobTracing } from "../../events/job-tracing.ts";
import type { SignalAnswer, SignalledByKey } from "../../jobs/adding/signal.ts";
import type { AnyPipeline, PipelineInput, PipelineResult } from "../../jobs/pipelines/pipeline.ts";
import { pipelineName } from "../../jobs/pipelines/pipeline-name.ts";
import type { Added } from "../../jobs/reading/job.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import { addJobs, type EncodedJob, jobsPerCall } from "../../store/adding/add-jobs.ts";
import { BudgetLimits } from "../../store/steering/budget-limits.ts";
import {
  type AbortAnswer,
  type BulkAction,
  type BulkRequest,
  BulkStore,
} from "../../store/steering/bulk-store.ts";
import { ScheduleStore } from "../../store/steering/schedule-store.ts";
import { SignalStore } from "../../store/steering/signal-store.ts";
import {
  type CancelAnswer,
  type Forked,
  type Retried,
  SteeringStore,
} from "../../store/steering/steering-store.ts";
import { encodeCheckedJob } from "../adding/encoded-job.ts";
import type { AddItem } from "../adding/job-adder.ts";
import { newJobId } from "../adding/new-job-id.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";
import type { ActQuery } from "./act-query.ts";
import { checkedBulk } from "./checked-bulk.ts";

export interface RecordedWritesParts {
  readonly clock: Pick<Clock, "now">;
  readonly events: EngineEvents;
  /** A pipeline by its name: this process's own, or another's of which only the name is known. */
  readonly pipelineOf: (pipeline: AnyPipeline | string) => AnyPipeline;
  /** There may be something to do for a worker in this process: jobs, or schedules. */
  readonly onAdded: () => void;
  readonly onSchedules: () => void;
  /** There is something to do for a runner of bulk actions in this process. */
  readonly onBulk: () => void;
  /** None when nobody would see the spans. */
  readonly tracing: Pick<JobTracing, "add"> | null;
}

/** What is recorded of an act beside who did it. If it is noted again, the later note counts. */
export interface ActNote {
  readonly target?: string | undefined;
  readonly outcome?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** Thrown once, if pipelines of this process must be defined first: that cannot be done inside the transaction. */
export const needsPipelines = Symbol("needs pipelines");

/** The writes of one act, all in its transaction. What they did is told to this process when that has committed. */
export class RecordedWrites {
  readonly #parts: RecordedWritesParts;
  readonly #user: string;
  readonly #query: ActQuery;
  readonly #arePipelinesKnown: boolean;
  readonly #steering: SteeringStore;
  readonly #signals: SignalStore;
  readonly #schedules: ScheduleStore;
  readonly #bulk: BulkStore;
  readonly #budgetLimits: BudgetLimits;
  readonly #announcements: (() => void)[] = [];
  #note: ActNote = {};
  #needsPipelines = false;

  constructor(parts: RecordedWritesParts, user: string, query: ActQuery, arePipelinesKnown: boolean) {
    this.#parts = parts;
    this.#user = user;
    this.#query = query;
    this.#arePipelinesKnown = arePipelinesKnown;
    this.#steering = new SteeringStore(query);
    this.#signals = new SignalStore(query);
    this.#schedules = new ScheduleStore(query);
    this.#bulk = new BulkStore(query);
    this.#budgetLimits = new BudgetLimits(query);
  }

  /** All are added, or none. */
  add<P extends AnyPipeline>(
    pipeline: P,
    items: readonly AddItem<PipelineInput<P>>[],
  ): Promise<Added<PipelineResult<P>>[]>;
  add(pipeline: string, items: readonly AddItem[]): Promise<Added[]>;
  async add(pipeline: AnyPipeline | string, items: readonly AddItem[]): Promise<Added[]> {
    const { tracing, pipelineOf } = this.#parts;
    const into = pipelineOf(pipeline);
    if (tracing === null || items.length === 0) return this.#add(into, items, null);
    return tracing.add(into.name, items.length, (trace) => this.#add(into, items, trace));
  }

  /** With `ifVersion`, only as the job was at that version; otherwise "changed". */
  async cancel(id: string, options: { readonly ifVersion?: string | undefined } = {}): Promise<CancelAnswer> {
    const jobId = checkedJobId(id);
    const answer = await this.#steering.cancel(jobId, options.ifVersion ?? null);
    this.#did(`jobs/${jobId}`, answer);
    if (answer === "cancelled")
      this.#announceLater(() => this.#parts.events.emit("job.cancelled", { jobId }));
    return answer;
  }

  /** At the stage where it ended, or at an earlier one. */
  async retry(
    id: string,
    options: { readonly fromStage?: string | undefined; readonly ifVersion?: string | undefined } = {},
  ): Promise<Retried> {
    const jobId = checkedJobId(id);
    const retried = await this.#steering.retry(jobId, options.fromStage ?? null, options.ifVersion ?? null);
    this.#did(`jobs/${jobId}`, retried.answer);
    if (retried.answer === "applied") {
      this.#announceLater(() => {
        this.#parts.events.emit("job.retried", { jobId });
        this.#parts.onAdded();
      });
    }
    return retried;
  }

  /** As a new job, from its first stage or from `fromStage`. */
  async fork(
    id: string,
    options: { readonly fromStage?: string | undefined; readonly ifVersion?: string | undefined } = {},
  ): Promise<Forked> {
    const jobId = checkedJobId(id);
    const { fromStage = null, ifVersion = null } = options;
    const forked = await this.#steering.fork(jobId, fromStage, newJobId(this.#parts.clock.now()), ifVersion);
    this.#did(`jobs/${jobId}`, forked.answer);
    if (forked.answer === "forked") {
      this.note({ detail: { ...this.#note.detail, forkId: forked.id } });
      this.#announceLater(this.#parts.onAdded);
    }
    return forked;
  }

  /** Sent by the act's user. The database checks the value by the schema of the wait. */
  async signal(
    id: string,
    name: string,
    value: unknown = null,
    options: { readonly ifVersion?: string | undefined } = {},
  ): Promise<SignalAnswer> {
    const jobId = checkedJobId(id);
    const answer = await this.#signals.signal(jobId, {
      ...this.#signalOf(name, value),
      ifVersion: options.ifVersion ?? null,
    });
    this.#didSignal(jobId, name, answer);
    return answer;
  }

  /** The same for the job that has the key. */
  async signalByKey(
    pipeline: AnyPipeline | string,
    key: string,
    name: string,
    value: unknown = null,
  ): Promise<SignalledByKey> {
    const signal = this.#signalOf(name, value);
    const signalled = await this.#signals.signalByKey(pipelineName(pipeline), key, signal);
    if (signalled.jobId === null) this.#did(`pipelines/${pipelineName(pipeline)}`, signalled.answer);
    else this.#didSignal(signalled.jobId, name, signalled.answer);
    return signalled;
  }

  /** Each says whether it changed anything. */
  async pause(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    const name = pipelineName(pipeline);
    const isChanged = await this.#steering.pause(name, stage);
    return this.#changed(`stages/${name}/${stage}`, isChanged, "paused");
  }

  async resume(pipeline: AnyPipeline | string, stage: string): Promise<boolean> {
    const name = pipelineName(pipeline);
    const isChanged = await this.#steering.resume(name, stage);
    return this.#changed(`stages/${name}/${stage}`, isChanged, "resumed");
  }

  async pauseSchedule(name: string): Promise<boolean> {
    return this.#changed(`schedules/${name}`, await this.#schedules.pause(name), "paused");
  }

  async resumeSchedule(name: string): Promise<boolean> {
    const isChanged = await this.#schedules.resume(name);
    this.#announceLater(this.#parts.onSchedules);
    return this.#changed(`schedules/${name}`, isChanged, "resumed");
  }

  async removeSchedule(name: string): Promise<boolean> {
    return this.#changed(`schedules/${name}`, await this.#schedules.remove(name), "removed");
  }

  /** Null takes back what was set, for all scopes or for one. */
  async setBudgetLimit(
    name: string,
    limit: number | null,
    options: { readonly scope?: string | undefined; readonly reason?: string | undefined } = {},
  ): Promise<boolean> {
    const { scope = null, reason = null } = options;
    const isChanged = await this.#budgetLimits.setLimit({ name, limit, scope, by: null, reason: null });
    this.note({ detail: { limit, ...(reason !== null && { reason }), ...this.#note.detail } });
    this.#announceLater(this.#parts.onAdded);
    const target = `budgets/${name}${scope === null ? "" : `/${scope}`}`;
    return this.#changed(target, isChanged, limit === null ? "taken_back" : "set");
  }

  /** Begun, with the act's user as the one who asked; the steps come after the commit. */
  async startBulk(bulk: BulkRequest): Promise<BulkAction> {
    const id = await this.#bulk.start(checkedBulk(bulk), this.#user);
    const started = (await this.#bulk.get(id)) as BulkAction;
    this.#did(`bulk-actions/${id}`, "started");
    this.note({ detail: { action: started.action, matched: started.matched.value, ...this.#note.detail } });
    this.#announceLater(this.#parts.onBulk);
    return started;
  }

  /** What was done stays done. */
  async abortBulk(id: string): Promise<AbortAnswer> {
    const answer = await this.#bulk.abort(checkedJobId(id));
    this.#did(`bulk-actions/${checkedJobId(id)}`, answer);
    return answer;
  }

  /** Says something else of this act than the writes have said themselves. */
  note(note: ActNote): void {
    this.#note = { ...this.#note, ...note };
  }

  /** What there is to record. */
  get noted(): ActNote {
    return this.#note;
  }

  /** Whether all of it is to be done again, once the pipelines of this process are known to the database. */
  get needsPipelines(): boolean {
    return this.#needsPipelines;
  }

  /** After the commit. */
  announce(): void {
    for (const announcement of this.#announcements) announcement();
  }

  async #add(pipeline: AnyPipeline, items: readonly AddItem[], trace: string | null): Promise<Added[]> {
    const now = this.#parts.clock.now();
    const jobs: EncodedJob[] = [];
    for (const { payload, ...options } of items) {
      jobs.push(await encodeCheckedJob(pipeline, payload, options, now, trace));
    }
    if (!this.#arePipelinesKnown) {
      this.#needsPipelines = true;
      throw needsPipelines;
    }
    const added: Added[] = [];
    for (let start = 0; start < jobs.length; start += jobsPerCall) {
      const some = jobs.slice(start, start + jobsPerCall);
      added.push(...(await addJobs((statement) => this.#query.query(statement), some, false)));
    }
    this.#didAdd(pipeline.name, added);
    return added;
  }

  #didAdd(pipeline: string, added: readonly Added[]): void {
    const created = added.filter((one) => one.created).length;
    const [first] = added;
    const target = added.length === 1 && first !== undefined ? `jobs/${first.id}` : `pipelines/${pipeline}`;
    this.#did(target, created > 0 ? "added" : "existing");
    this.note({ detail: { pipeline, jobs: added.length, created, ...this.#note.detail } });
    const { events, onAdded } = this.#parts;
    this.#announceLater(() => {
      if (events.hasListeners("job.added")) {
        for (const { id, created } of added) events.emit("job.added", { jobId: id, pipeline, created });
      }
      onAdded();
    });
  }

  #signalOf(name: string, value: unknown) {
    return {
      name,
      value: encodePayload(value),
      by: this.#user,
      ifVersion: null,
      ifShown: null,
      isRecorded: true,
    };
  }

  #didSignal(jobId: string, signal: string, answer: SignalAnswer): void {
    this.#did(`jobs/${jobId}`, answer);
    this.note({ detail: { signal, ...this.#note.detail } });
    if (answer !== "signalled") return;
    this.#announceLater(() => {
      this.#parts.events.emit("job.signalled", { jobId, signal });
      this.#parts.onAdded();
    });
  }

  #changed(target: string, isChanged: boolean, outcome: string): boolean {
    this.#did(target, isChanged ? outcome : "unchanged");
    return isChanged;
  }

  #did(target: string, outcome: string): void {
    this.note({ target: this.#note.target ?? target, outcome });
  }

  #announceLater(announcement: () => void): void {
    this.#announcements.push(announcement);
  }
}
