import type { Job, Reader } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { ProblemError } from "../middleware/problem-error.ts";

/** The job, if this caller may know of it: another owner's job is as if it were not there. */
export async function scopedJob(
  reader: Pick<Reader, "job">,
  caller: Caller,
  id: string,
  { full = false } = {},
): Promise<Job> {
  const job = await reader.job(id, { full });
  const { owner, scope } = caller;
  const isTheirs = (found: Job) =>
    (owner === null || found.owner === owner) && (scope?.jobId ?? found.id) === found.id;
  if (job === null || !isTheirs(job)) throw jobNotFound(id);
  return job;
}

export function jobNotFound(id: string): ProblemError {
  return new ProblemError(
    "job.not_found",
    `There is no job ${id}: it was never added, or it was deleted after its retention.`,
  );
}
