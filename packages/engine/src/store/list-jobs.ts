import type { JobSummary } from "../jobs/job.ts";
import type { JobFilter } from "../jobs/job-filter.ts";
import { sqlFunction } from "./call-function.ts";
import type { Database } from "./database.ts";
import { type JobSummaryRow, summaryOf } from "./job-row.ts";

/** Where a job stands in the order of a list. */
export interface Place {
  readonly key: string;
  readonly id: string;
}

export interface Look {
  readonly sort: string;
  readonly after: Place | null;
  readonly backwards: boolean;
  readonly limit: number;
  readonly preview: boolean;
}

/** A job of a list, and where it stands there. */
export interface ListedJob extends JobSummary {
  /** The first 200 characters of its payload, where they were asked for. */
  readonly payloadPreview: string | null;
}

export interface Found {
  readonly jobs: readonly ListedJob[];
  readonly places: readonly Place[];
  /** The look ended before the page was full: there may be more from here on. */
  readonly goOnFrom: Place | null;
}

type ListedRow = JobSummaryRow & { place: Place; payload_preview?: string | null };

const page = ["p_filter", "p_sort", "p_after", "p_backwards", "p_limit"] as const;
const functions = {
  listJobs: sqlFunction("list_jobs", page),
  searchJobs: sqlFunction("search_jobs", [...page, "p_preview"]),
};

export async function listJobs(database: Database, filter: JobFilter, look: Look): Promise<Found> {
  const { sort, after, backwards, limit, preview } = look;
  const asked = [JSON.stringify(filter), sort, after && JSON.stringify(after), backwards, limit] as const;
  // Who may not see payloads may call the first one only.
  const statement =
    preview || filter.payload !== undefined
      ? functions.searchJobs(...asked, preview)
      : functions.listJobs(...asked);
  const rows = await database.query<ListedRow>(statement);
  const last = rows.at(-1);
  const goOnFrom = last !== undefined && last.id === null ? last.place : null;
  const found = goOnFrom === null ? rows : rows.slice(0, -1);
  return {
    jobs: found.map((row) => ({ ...summaryOf(row), payloadPreview: row.payload_preview ?? null })),
    places: found.map(({ place }) => place),
    goOnFrom,
  };
}
