import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import type { AddOptions } from "../jobs/add-options.ts";
import type { Added } from "../jobs/job.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";
import { type EncodedJob, encodeJob } from "./encoded-job.ts";

export type AddItem<Payload = unknown> = AddOptions & { readonly payload: Payload };

export interface JobAdderParts {
  readonly store: Pick<JobStore, "add" | "addInChunks">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  readonly onAdded: () => void;
}

interface WaitingAdd {
  readonly pipeline: string;
  readonly job: EncodedJob;
  readonly resolve: (added: Added) => void;
  readonly reject: (error: unknown) => void;
}

const jobsPerCall = 1_000;
// Sent again with the same ids, an add cannot happen twice.
const resendAfterMs = [100, 500, 1_500];

/** Adds jobs. Calls made while one insert is under way travel together in the next; each gets its own answer. */
export class JobAdder {
  readonly #parts: JobAdderParts;
  #waiting: WaitingAdd[] = [];
  #isSending = false;

  constructor(parts: JobAdderParts) {
    this.#parts = parts;
  }

  async add(pipeline: AnyPipeline, payload: unknown, options: AddOptions): Promise<Added> {
    const job = await encodeJob(pipeline, payload, options, this.#parts.clock.now());
    await this.#parts.ready();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pipeline: pipeline.name, job, resolve, reject });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  /** All or none. */
  async addMany(pipeline: AnyPipeline, items: readonly AddItem[]): Promise<Added[]> {
    const now = this.#parts.clock.now();
    const jobs: EncodedJob[] = [];
    for (const { payload, ...options } of items) jobs.push(await encodeJob(pipeline, payload, options, now));
    if (jobs.length === 0) return [];
    await this.#parts.ready();
    const added = await this.#untilAnswered((isResent) => this.#call(jobs, isResent));
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
      const added = await this.#untilAnswered((isResent) => this.#call(jobs, isResent));
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

  async #call(jobs: readonly EncodedJob[], isResent: boolean): Promise<Added[]> {
    const { store } = this.#parts;
    // Only an id that was drawn for this sending cannot have finished already.
    const areIdsNew = !isResent && jobs.every((job) => job.isIdOurs);
    const texts = jobs.map((job) => job.json);
    const added = await (texts.length <= jobsPerCall
      ? store.add(texts, areIdsNew)
      : store.addInChunks(chunksOf(texts), areIdsNew));
    // Under an id that was drawn here nobody else can have added it: the first sending did.
    return isResent
      ? added.map((one, index) => (isOurs(one, jobs[index]) ? { ...one, created: true } : one))
      : added;
  }

  async #untilAnswered(send: (isResent: boolean) => Promise<Added[]>): Promise<Added[]> {
    for (let resends = 0; ; resends += 1) {
      try {
        return await send(resends > 0);
      } catch (error) {
        const waitMs = resendAfterMs[resends];
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal || waitMs === undefined)
          throw error;
        await this.#parts.clock.sleep(waitMs);
      }
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

function isOurs(added: Added, job: EncodedJob | undefined): boolean {
  return job?.isIdOurs === true && job.id === added.id;
}

function chunksOf(texts: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let start = 0; start < texts.length; start += jobsPerCall)
    chunks.push(texts.slice(start, start + jobsPerCall));
  return chunks;
}
