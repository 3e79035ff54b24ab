import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { JobTracing } from "../../events/job-tracing.ts";
import type { AddOptions } from "../../jobs/adding/add-options.ts";
import {
  type AddBatchOptions,
  type AddedBatch,
  checkBatchOptions,
  type FollowingJob,
} from "../../jobs/adding/batch.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import { type EncodedJob, jobsPerCall } from "../../store/adding/add-jobs.ts";
import type { BatchStore } from "../../store/adding/batch-store.ts";
import { encodeCheckedJob } from "./encoded-job.ts";
import { newJobId } from "./new-job-id.ts";
import { sendAdds } from "./send-adds.ts";

export interface BatchAdderParts {
  readonly store: Pick<BatchStore, "add">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** Resolves when the database knows the pipelines. */
  readonly ready: () => Promise<unknown>;
  readonly onAdded: () => void;
  /** None when nobody would see the spans. */
  readonly tracing?: Pick<JobTracing, "add"> | null;
}

/** Adds batches: the batch, its jobs and what follows it, all or none. */
export class BatchAdder {
  readonly #parts: BatchAdderParts;

  constructor(parts: BatchAdderParts) {
    this.#parts = parts;
  }

  async add(
    pipeline: AnyPipeline,
    items: readonly (AddOptions & { readonly payload: unknown })[],
    options: AddBatchOptions,
  ): Promise<AddedBatch> {
    checkBatchOptions(options);
    const { tracing } = this.#parts;
    if (!tracing) return this.#add(pipeline, items, options, null);
    let batch: Promise<AddedBatch> | undefined;
    await tracing.add(pipeline.name, items.length, async (trace) => {
      batch = this.#add(pipeline, items, options, trace);
      return [...(await batch).jobs];
    });
    return await (batch as Promise<AddedBatch>);
  }

  async #add(
    pipeline: AnyPipeline,
    items: readonly (AddOptions & { readonly payload: unknown })[],
    options: AddBatchOptions,
    trace: string | null,
  ): Promise<AddedBatch> {
    const { store, clock, events, ready, onAdded } = this.#parts;
    const now = clock.now();
    const batchId = options.id?.toLowerCase() ?? newJobId(now);
    const jobs = await encodeAll(pipeline, items, batchId, now, trace);
    const followerJson =
      options.followedBy === undefined ? null : await encodeFollower(options.followedBy, now, trace);
    const chunks: EncodedJob[][] = [];
    for (let start = 0; start < jobs.length; start += jobsPerCall) {
      chunks.push(jobs.slice(start, start + jobsPerCall));
    }
    await ready();
    let followerId: string | null = null;
    const added = await sendAdds(clock, jobs, async (isResent) => {
      const answer = await store.add(
        { batchId, followerJson, keepOpen: options.keepOpen === true, chunks },
        isResent,
      );
      followerId = answer.followerId;
      return answer.added;
    });
    if (events.hasListeners("job.added")) {
      for (const { id, created } of added)
        events.emit("job.added", { jobId: id, pipeline: pipeline.name, created });
    }
    onAdded();
    return { id: batchId, jobs: added, followerId };
  }
}

async function encodeAll(
  pipeline: AnyPipeline,
  items: readonly (AddOptions & { readonly payload: unknown })[],
  batchId: string,
  now: Date,
  trace: string | null,
): Promise<EncodedJob[]> {
  // Sorted, since results are read by id, and ids of the same millisecond are in random order.
  const ids = items.map(() => newJobId(now)).sort();
  const jobs: EncodedJob[] = [];
  for (const [index, { payload, ...options }] of items.entries()) {
    const id = options.id ?? ids[index];
    const job = await encodeCheckedJob(pipeline, payload, { ...options, id }, now, trace);
    const json = `${job.json.slice(0, -1)},"batchId":"${batchId}"}`;
    const { isPayloadChecked } = job;
    jobs.push({ id: job.id, json, isIdOurs: options.id === undefined, isPayloadChecked });
  }
  return jobs;
}

async function encodeFollower(
  { pipeline, payload, ...options }: FollowingJob,
  now: Date,
  trace: string | null,
): Promise<string> {
  return (await encodeCheckedJob(pipeline, payload, options, now, trace)).json;
}
