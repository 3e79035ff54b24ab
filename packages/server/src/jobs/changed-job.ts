import type { Reader } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import type { JobView } from "./job-view.ts";

/** For a write that was asked for on a version of the job that is no longer the latest: with the job as it is now. */
export async function changedJob(
  { reader, view }: { readonly reader: Pick<Reader, "job">; readonly view: Pick<JobView, "job"> },
  caller: Caller,
  id: string,
): Promise<ProblemError> {
  const job = await reader.job(id, { full: false });
  const shown = job === null || !caller.rights.has("jobs.read") ? undefined : view.job(job, caller);
  return new ProblemError(
    "version.changed",
    `Job ${id} has changed since it was read: read it again, then decide.`,
    { job: shown },
  );
}
