import { defaultParseSearch, defaultStringifySearch } from "@tanstack/react-router";
import { type JobStatus, statuses } from "../../api/contract.ts";
import { qualifier, withQualifier } from "./filter-words.ts";

/** What the address of the Jobs page says: the tab, the filter with its range of time, how far one has paged. */
export interface JobsSearch {
  readonly status?: JobStatus;
  readonly filter?: string;
  readonly cursor?: string;
}

export function jobsSearch({ status, filter, cursor }: Record<string, unknown>): JobsSearch {
  return {
    ...(isStatus(status) ? { status } : {}),
    ...(isText(filter) ? { filter } : {}),
    ...(isText(cursor) ? { cursor } : {}),
  };
}

/** What a view is kept as. Not how far one has paged: those rows will have moved on. */
export function viewQuery({ status, filter }: JobsSearch): string {
  return defaultStringifySearch(jobsSearch({ status, filter })).replace("?", "");
}

export function viewSearch(query: string): JobsSearch {
  const { cursor: _, ...search } = jobsSearch(defaultParseSearch(query));
  return search;
}

/** The tab is a word of the filter. */
export function wholeFilter({ status, filter }: JobsSearch): string {
  return [status === undefined ? "" : `status:${status}`, filter].filter(Boolean).join(" ");
}

/** What a filter that someone has written looks for: one status in words is a tab. */
export function writtenSearch(filter: string, tab: JobStatus | undefined): JobsSearch {
  const said = qualifier(filter, "status");
  if (!isStatus(said)) return jobsSearch({ status: tab, filter });
  return jobsSearch({ status: said, filter: withQualifier(filter, "status", null) });
}

function isStatus(value: unknown): value is JobStatus {
  return statuses.some((status) => status === value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
