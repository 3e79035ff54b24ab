import type { JobFilter } from "../jobs/job-filter.ts";
import type { JobCount, ListedJob } from "../jobs/job-page.ts";
import type { Place } from "../jobs/list-cursor.ts";
import { sqlFunction } from "./call-function.ts";
import type { Database } from "./database.ts";
import { type JobSummaryRow, summaryOf } from "./job-row.ts";

export interface Look {
  readonly sort: string;
  readonly after: Place | null;
  readonly backwards: boolean;
  readonly limit: number;
  readonly preview: boolean;
}

export interface Found {
  readonly jobs: readonly ListedJob[];
  readonly places: readonly Place[];
  /** The look ended before so many were found: there may be more from here on. */
  readonly goOnFrom: Place | null;
}

type ListedRow = JobSummaryRow & {
  group_key: string | null;
  batch_id: string | null;
  fingerprint: string | null;
  payload_preview?: string | null;
  place: Place;
};

const page = ["p_filter", "p_sort", "p_after", "p_backwards", "p_limit"] as const;
const functions = {
  listJobs: sqlFunction("list_jobs", page),
  searchJobs: sqlFunction("search_jobs", [...page, "p_preview"]),
  countJobs: sqlFunction("count_jobs", ["p_filter", "p_cap"]),
};

/** Lists and counts for people: a method per SQL function. */
export class ReadingStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(filter: JobFilter, look: Look): Promise<Found> {
    const { sort, after, backwards, limit, preview } = look;
    const asked = [JSON.stringify(filter), sort, after && JSON.stringify(after), backwards, limit] as const;
    // Who may not see payloads may call the other one only.
    const statement =
      preview || filter.payload !== undefined
        ? functions.searchJobs(...asked, preview)
        : functions.listJobs(...asked);
    const rows = await this.#database.query<ListedRow>(statement);
    const last = rows.at(-1);
    const goOnFrom = last !== undefined && last.id === null ? last.place : null;
    const found = goOnFrom === null ? rows : rows.slice(0, -1);
    return { jobs: found.map(listedOf), places: found.map(({ place }) => place), goOnFrom };
  }

  async count(filter: JobFilter, cap: number): Promise<JobCount> {
    const [row] = await this.#database.query<{ jobs: string; exact: boolean; capped: boolean }>(
      functions.countJobs(JSON.stringify(filter), cap),
    );
    return { value: Number(row?.jobs ?? 0), exact: row?.exact ?? true, capped: row?.capped ?? false };
  }
}

function listedOf(row: ListedRow): ListedJob {
  return {
    ...summaryOf(row),
    groupKey: row.group_key,
    batchId: row.batch_id,
    fingerprint: row.fingerprint,
    payloadPreview: row.payload_preview ?? null,
  };
}
