import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { JobTracing } from "../../events/job-tracing.ts";
import type { AddOptions } from "../../jobs/adding/add-options.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import type { Added } from "../../jobs/reading/job.ts";
import { type EncodedJob, jobsPerCall, type Recognition } from "../../store/adding/add-jobs.ts";
import type { AddingStore } from "../../store/adding/adding-store.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { encodeCheckedJob, encodeJob } from "./encoded-job.ts";
import { sendAdds } from "./send-adds.ts";

/** One of the jobs of `addMany` or `addBatch`: its payload, and its own options. */
export type AddItem<Payload = unknown> = AddOptions & { readonly payload: Payload };

export interface JobAdderParts {
  readonly store: Pick<AddingStore, "add" | "addInChunks">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  /** For the first add, which asks on its way whether it does; undefined: it is known to. */
  readonly recognition: () => Recognition | undefined;
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

/** Adds jobs. Jobs added while a call is under way are sent together in the next one; each caller gets its own answer. */
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
      // A schema may be slow, and no transaction should wait for it.
      for (const { payload, ...options } of items)
        jobs.push(await encodeCheckedJob(pipeline, payload, options, now, trace));
    }
    if (items.length > jobsPerCall) await ready();
    const added =
      items.length <= jobsPerCall
        ? await this.#sendTogether(jobs)
        : await sendAdds(clock, jobs, (isResent) =>
            store.addInChunks(items.length, () => chunksOf(items, encode, jobs), isResent),
          );
    this.#announce(pipeline.name, added);
    return added;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Jobs that are added in the same turn of the event loop are sent together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#sendBatch(this.#waiting.splice(0, jobsPerCall));
    this.#isSending = false;
  }

  async #sendBatch(batch: readonly WaitingAdd[]): Promise<void> {
    const first = this.#parts.recognition();
    if (first === undefined) return await this.#send(batch, false);
    try {
      const added = await this.#sendFirst(
        batch.map(({ job }) => job),
        first,
      );
      if (added !== null) this.#answer(batch, added);
      else await this.#send(batch, true);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async #sendTogether(jobs: readonly EncodedJob[]): Promise<Added[]> {
    const first = this.#parts.recognition();
    if (first === undefined) return await this.#sendCall(jobs, false);
    return (await this.#sendFirst(jobs, first)) ?? (await this.#sendCall(jobs, true));
  }

  /** The first call of a process adds its jobs if the database knows the pipelines. Null: it did not, and does now. */
  async #sendFirst(jobs: readonly EncodedJob[], first: Recognition): Promise<Added[] | null> {
    const { store, clock, ready } = this.#parts;
    try {
      return await sendAdds(clock, jobs, (isResent) => store.add(jobs, isResent, first));
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      // The database is not as expected, or refuses one of the jobs. Step by step, it says what it is.
      await ready();
      return null;
    }
  }

  #sendCall(jobs: readonly EncodedJob[], wereSent: boolean): Promise<Added[]> {
    const { store, clock } = this.#parts;
    return sendAdds(clock, jobs, (isResent) => store.add(jobs, isResent), wereSent);
  }

  /** `wereSent`: by a call of which it is not known for sure that it did nothing. */
  async #send(batch: readonly WaitingAdd[], wereSent: boolean): Promise<void> {
    try {
      const jobs = batch.map(({ job }) => job);
      this.#answer(batch, await this.#sendCall(jobs, wereSent));
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailableError) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // Only one of them may have been refused. Sent in halves, it is found in a few calls, and the others are added.
      const half = Math.ceil(batch.length / 2);
      await this.#send(batch.slice(0, half), wereSent);
      await this.#send(batch.slice(half), wereSent);
    }
  }

  #answer(batch: readonly WaitingAdd[], added: readonly Added[]): void {
    for (const [index, one] of added.entries()) {
      const waiting = batch[index];
      if (waiting === undefined) continue;
      this.#announce(waiting.pipeline, [one]);
      waiting.resolve(one);
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

/** Encodes each chunk while the one before it is inserted. If the chunks are asked for again, their jobs have the same ids. */
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
