import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { AddOptions } from "../jobs/add-options.ts";
import type { Added } from "../jobs/job.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { type EncodedJob, jobsPerCall } from "../store/add-jobs.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import { encodeCheckedJob, encodeJob } from "./encoded-job.ts";
import type { JobTracing } from "./job-tracing.ts";
import { sendAdds } from "./send-adds.ts";

export type AddItem<Payload = unknown> = AddOptions & { readonly payload: Payload };

export interface JobAdderParts {
  readonly store: Pick<JobStore, "add" | "addInChunks">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  readonly onAdded: () => void;
  /** None when nobody would see the spans. */
  readonly tracing?: Pick<JobTracing, "add"> | null;
}

interface WaitingAdd {
  readonly pipeline: string;
  readonly job: EncodedJob;
  readonly resolve: (added: Added) => void;
  readonly reject: (error: unknown) => void;
}

/** Adds jobs. Calls made while one insert is under way travel together in the next; each gets its own answer. */
export class JobAdder {
  readonly #parts: JobAdderParts;
  #waiting: WaitingAdd[] = [];
  #isSending = false;

  constructor(parts: JobAdderParts) {
    this.#parts = parts;
  }

  add(pipeline: AnyPipeline, payload: unknown, options: AddOptions): Promise<Added> {
    const { tracing } = this.#parts;
    if (!tracing) return this.#add(pipeline, payload, options, null);
    return tracing.add(pipeline.name, null, (trace) => this.#add(pipeline, payload, options, trace));
  }

  /** All or none. */
  addMany(pipeline: AnyPipeline, items: readonly AddItem[]): Promise<Added[]> {
    const { tracing } = this.#parts;
    if (!tracing || items.length === 0) return this.#addMany(pipeline, items, null);
    return tracing.add(pipeline.name, items.length, (trace) => this.#addMany(pipeline, items, trace));
  }

  async #add(
    pipeline: AnyPipeline,
    payload: unknown,
    options: AddOptions,
    trace: string | null,
  ): Promise<Added> {
    const job = await encodeCheckedJob(pipeline, payload, options, this.#parts.clock.now(), trace);
    await this.#parts.ready();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pipeline: pipeline.name, job, resolve, reject });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  async #addMany(pipeline: AnyPipeline, items: readonly AddItem[], trace: string | null): Promise<Added[]> {
    const { store, clock, ready } = this.#parts;
    if (items.length === 0) return [];
    const now = clock.now();
    const jobs: EncodedJob[] = [];
    const encode = ({ payload, ...options }: AddItem) => encodeJob(pipeline, payload, options, now, trace);
    if (pipeline.payload !== null || items.length <= jobsPerCall) {
      // A schema may take its time, and no transaction is to wait for it.
      for (const { payload, ...options } of items)
        jobs.push(await encodeCheckedJob(pipeline, payload, options, now, trace));
    }
    await ready();
    const added = await sendAdds(clock, jobs, (isResent) =>
      items.length <= jobsPerCall
        ? store.add(jobs, isResent)
        : store.addInChunks(chunksOf(items, encode, jobs), isResent),
    );
    this.#announce(pipeline.name, added);
    return added;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // What is added in the same turn travels together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, jobsPerCall));
    this.#isSending = false;
  }

  async #send(batch: readonly WaitingAdd[]): Promise<void> {
    try {
      const jobs = batch.map(({ job }) => job);
      const added = await sendAdds(this.#parts.clock, jobs, (isResent) =>
        this.#parts.store.add(jobs, isResent),
      );
      for (const [index, one] of added.entries()) {
        const waiting = batch[index];
        if (waiting === undefined) continue;
        this.#announce(waiting.pipeline, [one]);
        waiting.resolve(one);
      }
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailableError) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One of them is refused; alone, each gets the answer it would have had.
      for (const one of batch) await this.#send([one]);
    }
  }

  #announce(pipeline: string, added: readonly Added[]): void {
    const { events, onAdded } = this.#parts;
    if (events.hasListeners("job.added")) {
      for (const { id, created } of added) events.emit("job.added", { jobId: id, pipeline, created });
    }
    onAdded();
  }
}

/** Encodes each chunk when it is asked for, while the one before it is inserted; what is encoded stays so. */
function* chunksOf(
  items: readonly AddItem[],
  encode: (item: AddItem) => EncodedJob,
  jobs: EncodedJob[],
): Generator<EncodedJob[]> {
  for (let start = 0; start < items.length; start += jobsPerCall) {
    const end = Math.min(start + jobsPerCall, items.length);
    for (const item of items.slice(jobs.length, end)) jobs.push(encode(item));
    yield jobs.slice(start, end);
  }
}
