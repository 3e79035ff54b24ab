import type { ErrorHistory, ErrorHistoryFilter } from "../../jobs/reading/error-history.ts";
import type { ErrorFilter, ErrorKind } from "../../jobs/reading/error-kind.ts";
import type { JobStatus, JobSummary } from "../../jobs/reading/job.ts";
import type { JobFilter } from "../../jobs/reading/job-filter.ts";
import type { JobCount, JobRowNow, ListedJob } from "../../jobs/reading/job-page.ts";
import type { Place } from "../../jobs/reading/list-cursor.ts";
import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import { type JobSummaryRow, summaryOf } from "./job-row.ts";

/** Which jobs `list` gives. */
export interface ListFilter {
  readonly pipeline?: string | undefined;
  readonly stage?: string | undefined;
  readonly status?: JobStatus | undefined;
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  /** The id of the last job of the page before. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

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
  payload_preview?: string | null;
  place: Place;
};

const page = ["p_filter", "p_sort", "p_after", "p_backwards", "p_limit"] as const;
const functions = {
  listJobs: sqlFunction("list_jobs", page),
  searchJobs: sqlFunction("search_jobs", [...page, "p_preview"]),
  countJobs: sqlFunction("count_jobs", ["p_filter", "p_cap"]),
  jobRows: sqlFunction("job_rows", ["p_ids"]),
  listErrors: sqlFunction("list_errors", ["p_pipeline", "p_stage", "p_since", "p_limit", "p_sort"]),
  errorHistory: sqlFunction("read_error_history", [
    "p_pipeline",
    "p_fingerprint",
    "p_from",
    "p_to",
    "p_step",
  ]),
};

/** Lists and counts of jobs and errors, as people ask for them. */
export class ListStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
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

  /** Newest first, in as many looks as it takes to fill the page. */
  async newest({ status, before, limit = 50, ...filter }: ListFilter): Promise<JobSummary[]> {
    const statuses = status === undefined ? undefined : [status];
    const jobs: JobSummary[] = [];
    let after: Place | null = before === undefined ? null : { key: "0", id: before.toLowerCase() };
    do {
      const look = {
        sort: "-id",
        after,
        backwards: false,
        limit: limit - jobs.length,
        preview: false,
      } as const;
      const page = await this.list({ ...filter, statuses }, look);
      jobs.push(...page.jobs);
      after = page.goOnFrom;
    } while (after !== null);
    return jobs;
  }

  async count(filter: JobFilter, cap: number): Promise<JobCount> {
    const [row] = await this.#database.query<{ jobs: string; exact: boolean; capped: boolean }>(
      functions.countJobs(JSON.stringify(filter), cap),
    );
    return { value: Number(row?.jobs ?? 0), exact: row?.exact ?? true, capped: row?.capped ?? false };
  }

  async rows(ids: readonly string[]): Promise<JobRowNow[]> {
    return (await this.#database.query<NowRow>(functions.jobRows(ids))).map(nowOf);
  }

  async errors({ pipeline, stage, since, limit = 100, sort = "-lastAt" }: ErrorFilter): Promise<ErrorKind[]> {
    const rows = await this.#database.query<ErrorRow>(
      functions.listErrors(pipeline ?? null, stage ?? null, since ?? null, limit, sort),
    );
    return rows.map(errorOf);
  }

  async errorHistory(filter: ErrorHistoryFilter): Promise<ErrorHistory[]> {
    const { pipeline = null, fingerprint = null, from = null, to = null, stepMs = 3_600_000 } = filter;
    const rows = await this.#database.query<ErrorHistoryRow>(
      functions.errorHistory(pipeline, fingerprint, from, to, asInterval(stepMs)),
    );
    return rows.map(({ begins_at, ...row }) => ({ ...row, beginsAt: begins_at }));
  }
}

type NowRow = Pick<
  JobRowNow,
  "id" | "pipeline" | "stage" | "status" | "attempt" | "losses" | "progress" | "owner"
> & {
  progress_note: string | null;
  scheduled_for: Date | null;
  claimed_at: Date | null;
  finished_at: Date | null;
  cancel_requested_at: Date | null;
  worker_id: string | null;
  updated_at: Date;
};

function nowOf(row: NowRow): JobRowNow {
  const { progress_note, scheduled_for, claimed_at, finished_at, cancel_requested_at, ...rest } = row;
  const { worker_id, updated_at, ...same } = rest;
  return {
    ...same,
    progressNote: progress_note,
    scheduledFor: scheduled_for,
    claimedAt: claimed_at,
    finishedAt: finished_at,
    cancelRequestedAt: cancel_requested_at,
    workerId: worker_id,
    updatedAt: updated_at,
  };
}

interface ErrorRow extends Omit<ErrorKind, "jobs" | "firstAt" | "lastAt" | "sampleId"> {
  jobs: string;
  first_at: Date;
  last_at: Date;
  sample_id: string;
}

type ErrorHistoryRow = Pick<ErrorHistory, "fingerprint" | "jobs"> & { begins_at: Date };

function errorOf({ jobs, first_at, last_at, sample_id, ...row }: ErrorRow): ErrorKind {
  return { ...row, jobs: Number(jobs), firstAt: first_at, lastAt: last_at, sampleId: sample_id };
}

function listedOf(row: ListedRow): ListedJob {
  return { ...summaryOf(row), payloadPreview: row.payload_preview ?? null };
}
