import type { AnyPipeline, PipelineInput } from "../pipelines/pipeline.ts";
import type { Added, JobId } from "../reading/job.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { AddOptionError, type AddOptions } from "./add-options.ts";

/** A batch with its counters. */
export interface Batch {
  readonly id: string;
  /** Jobs may join an open batch; a closed one is finished when all its jobs have ended. */
  readonly state: "open" | "closed" | "finished";
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly addedAt: Date;
  readonly closedAt: Date | null;
  readonly finishedAt: Date | null;
  /** What goes on when it is finished: its follower, or the parent that fanned out. */
  readonly waitingJobId: string | null;
}

/** The job that follows a batch: it waits until the batch is finished, and reads its outcomes as `children`. */
export type FollowingJob<P extends AnyPipeline = AnyPipeline> = Omit<
  AddOptions,
  "scheduledFor" | "startBy" | "dedupKey"
> & {
  readonly pipeline: P;
  readonly payload: PipelineInput<P>;
};

/** What can be said of a batch when jobs are added to it. */
export interface AddBatchOptions<P extends AnyPipeline = AnyPipeline> {
  /** A UUID of the caller's own. Jobs join the batch of this id while it is open. */
  readonly id?: string | undefined;
  /** Only for a batch that is new. */
  readonly followedBy?: FollowingJob<P> | undefined;
  /** More jobs will join; the batch cannot finish before `closeBatch`. */
  readonly keepOpen?: boolean | undefined;
}

/** A batch with the jobs that were added to it now, and the job that follows them. */
export interface AddedBatch<Result = unknown, FollowerResult = unknown> {
  readonly id: string;
  readonly jobs: readonly Added<Result>[];
  readonly followerId: JobId<FollowerResult> | null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const optionNames = ["id", "followedBy", "keepOpen"];
const notForFollower = ["scheduledFor", "startBy", "dedupKey"];

/** Refuses options of a batch that cannot be used, with a sentence. */
export function checkBatchOptions(options: AddBatchOptions): void {
  for (const name of Object.keys(options)) {
    if (!optionNames.includes(name)) {
      throw new AddOptionError(`Unknown option "${name}" of a batch.${didYouMean(name, optionNames)}`);
    }
  }
  const { id, followedBy, keepOpen } = options;
  if (id !== undefined) checkedBatchId(id);
  if (keepOpen !== undefined && typeof keepOpen !== "boolean") {
    throw new AddOptionError("keepOpen of a batch must be true or false.");
  }
  if (followedBy === undefined) return;
  if (
    typeof followedBy !== "object" ||
    followedBy === null ||
    typeof followedBy.pipeline?.name !== "string"
  ) {
    throw new AddOptionError("followedBy of a batch must be an object such as { pipeline, payload }.");
  }
  for (const name of notForFollower) {
    if (Object.hasOwn(followedBy, name)) {
      throw new AddOptionError(`followedBy of a batch waits for the batch and takes no "${name}".`);
    }
  }
}

/** The id as PostgreSQL writes it, or a refusal. */
export function checkedBatchId(id: unknown): string {
  if (typeof id !== "string" || !uuid.test(id)) {
    throw new AddOptionError(`A batch id is a UUID; ${JSON.stringify(String(id).slice(0, 100))} is not one.`);
  }
  return id.toLowerCase();
}
