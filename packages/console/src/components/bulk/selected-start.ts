import type { BulkStart } from "../../api/bulk-api.ts";

export interface Selected {
  readonly ids: ReadonlySet<string>;
  /** Not these ids alone: all jobs that the filter matches. */
  readonly isAllMatching: boolean;
}

/** The bulk action over what is selected in a list. */
export function selectedStart(
  action: BulkStart["action"],
  { ids, isAllMatching }: Selected,
  filter: string,
): BulkStart {
  if (!isAllMatching) return { action, ids: [...ids] };
  return { action, filter: filter === "" ? allFor(action) : filter };
}

/** A bulk action must be told which jobs it means, even when it means all jobs that it can change. */
function allFor(action: BulkStart["action"]): string {
  return action === "retry" ? "status:failed,cancelled" : "status:scheduled,pending,processing,retrying";
}
