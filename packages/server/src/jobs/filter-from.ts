import { type JobFilter, parseJobFilter } from "lockstep";
import type { Caller } from "../access/caller.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import type { JobView } from "./job-view.ts";

/** The filter that a caller has written, kept to what they may know. */
export function filterFrom(
  text: string | undefined,
  caller: Caller,
  view: Pick<JobView, "isHidden">,
  now: Date,
): JobFilter {
  return scopedFilter(parseJobFilter(text ?? "", now), caller, view);
}

/** What a caller may not see, it may not search either: the answers would reveal it. */
export function scopedFilter(filter: JobFilter, caller: Caller, view: Pick<JobView, "isHidden">): JobFilter {
  const { payload, owner } = filter;
  if (caller.scope !== null) {
    throw new ProblemError("owner.bound", "This token is for streams and single jobs, not for lists.");
  }
  if (payload !== undefined) {
    if (!caller.rights.has("jobs.payload")) {
      throw new ProblemError(
        "rights.missing",
        `A filter by payload needs the right jobs.payload, which ${caller.user} does not have.`,
      );
    }
    if (view.isHidden(payload)) {
      throw new ProblemError(
        "filter.redacted",
        "The filter asks for a part of the payload that is hidden from everyone.",
      );
    }
  }
  if (caller.owner === null) return filter;
  if (owner !== undefined && owner !== caller.owner) {
    throw new ProblemError(
      "owner.bound",
      `The access of ${caller.user} is bound to the owner "${caller.owner}", and cannot find the jobs of others.`,
    );
  }
  return { ...filter, owner: caller.owner };
}
