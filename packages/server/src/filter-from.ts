import { type JobFilter, parseJobFilter } from "lockstep";
import type { Caller } from "./access/caller.ts";
import type { JobView } from "./job-view.ts";
import { ProblemError } from "./problem-error.ts";

/** The filter that a caller has written, kept to what they may know. */
export function filterFrom(
  text: string | undefined,
  caller: Caller,
  view: Pick<JobView, "isHidden">,
  now: Date,
): JobFilter {
  return scopedFilter(parseJobFilter(text ?? "", now), caller, view);
}

/** What may not be seen may not be searched either: the answers would betray it. */
export function scopedFilter(filter: JobFilter, caller: Caller, view: Pick<JobView, "isHidden">): JobFilter {
  const { payload, owner } = filter;
  if (caller.scope !== null) {
    throw new ProblemError("owner.bound", "This token is for a stream and for single jobs, not for lists.");
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
        "The filter asks for a part of the payload that is hidden from all.",
      );
    }
  }
  if (caller.owner === null) return filter;
  if (owner !== undefined && owner !== caller.owner) {
    throw new ProblemError(
      "owner.bound",
      `The access of ${caller.user} is bound to the owner "${caller.owner}", and finds no others' jobs.`,
    );
  }
  return { ...filter, owner: caller.owner };
}
