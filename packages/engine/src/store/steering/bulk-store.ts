import type { JobFilter } from "../../jobs/reading/job-filter.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** What is to be done to which jobs. */
export interface BulkRequest {
  readonly action: "cancel" | "retry";
  /** Where it names no status: jobs that are not finished for a cancel, failed ones for a retry. */
  readonly filter?: JobFilter | undefined;
  /** At most 10,000; a filter holds for them too. */
  readonly ids?: readonly string[] | undefined;
  /** At which stage retried jobs begin; without it, where they ended. */
  readonly fromStage?: string | undefined;
}

/** How many jobs a filter means, counted up to 10,001. */
export interface BulkCount {
  readonly value: number;
  readonly exact: boolean;
  readonly capped: boolean;
}

/** A job that a bulk action could not change, and why. */
export interface BulkFailure {
  readonly jobId: string;
  readonly code: string;
  readonly message: string;
}

/** A cancel or retry of many jobs, and how far it is. */
export interface BulkAction {
  readonly id: string;
  readonly action: "cancel" | "retry";
  /** With times as ISO texts. No job that was added after the start is meant. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** How many were named by their ids; null where a filter means them. */
  readonly ids: number | null;
  readonly fromStage: string | null;
  readonly status: "running" | "done" | "aborted";
  readonly user: string;
  /** Counted at the start; where that count stopped early, at least so many, and exact at the end. */
  readonly matched: Pick<BulkCount, "value" | "exact">;
  readonly done: number;
  /** Jobs that were left as they are, by what was answered: already_finished, not_found, not_finished, conflict. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly failed: number;
  /** The first twenty. */
  readonly failures: readonly BulkFailure[];
  readonly startedAt: Date;
  readonly steppedAt: Date;
  readonly finishedAt: Date | null;
  /** Back to which time jobs were looked through so far; null where that cannot be told. */
  readonly lookedTo: Date | null;
}

export type BulkStep = "running" | "done" | "aborted" | "busy" | "not_found";
/** What became of the wish to end a bulk action. */
export type AbortAnswer = "aborted" | "already_finished" | "not_found";

interface BulkRow
  extends Pick<BulkAction, "id" | "action" | "filter" | "ids" | "status" | "done" | "skipped"> {
  readonly from_stage: string | null;
  readonly asked_by: string;
  readonly matched: string;
  readonly is_matched_exact: boolean;
  readonly failed: number;
  readonly failures: readonly BulkFailure[];
  readonly started_at: Date;
  readonly stepped_at: Date;
  readonly finished_at: Date | null;
  readonly looked_to: Date | null;
}

/** How many jobs a step takes: few enough that nobody notices, and that PostgreSQL keeps count of them cheaply. */
export const jobsPerStep = 50;

const request = ["p_action", "p_filter", "p_ids", "p_from_stage"] as const;
const functions = {
  preview: sqlFunction("preview_bulk_action", request),
  start: sqlFunction("start_bulk_action", [...request, "p_user"]),
  step: sqlFunction("step_bulk_action", ["p_id", "p_batch"]),
  abort: sqlFunction("abort_bulk_action", ["p_id"]),
  get: sqlFunction("get_bulk_action", ["p_id"]),
  list: sqlFunction("list_bulk_actions", ["p_before", "p_limit", "p_running"]),
};

/** Bulk actions, on the pool or in a transaction. */
export class BulkStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async preview(bulk: BulkRequest): Promise<BulkCount> {
    const [row] = await this.#database.query<{ jobs: string; exact: boolean; capped: boolean }>(
      functions.preview(...argumentsOf(bulk)),
    );
    return { value: Number(row?.jobs ?? 0), exact: row?.exact ?? true, capped: row?.capped ?? false };
  }

  /** Returns its id. */
  async start(bulk: BulkRequest, user: string): Promise<string> {
    const [row] = await this.#database.query<{ start_bulk_action: string }>(
      functions.start(...argumentsOf(bulk), user),
    );
    return row?.start_bulk_action ?? "";
  }

  async step(id: string, batchSize: number): Promise<BulkStep> {
    const [row] = await this.#database.query<{ step_bulk_action: BulkStep }>(functions.step(id, batchSize));
    return row?.step_bulk_action ?? "not_found";
  }

  async abort(id: string): Promise<AbortAnswer> {
    const [row] = await this.#database.query<{ abort_bulk_action: AbortAnswer }>(functions.abort(id));
    return row?.abort_bulk_action ?? "not_found";
  }

  async get(id: string): Promise<BulkAction | null> {
    const [row] = await this.#database.query<BulkRow>(functions.get(id));
    return row === undefined ? null : bulkActionOf(row);
  }

  /** Newest first. */
  async list(before: string | null, limit: number): Promise<BulkAction[]> {
    return (await this.#database.query<BulkRow>(functions.list(before, limit, false))).map(bulkActionOf);
  }

  /** Those there is something to do for, oldest first. */
  async running(limit: number): Promise<string[]> {
    return (await this.#database.query<BulkRow>(functions.list(null, limit, true))).map(({ id }) => id);
  }
}

function argumentsOf(bulk: BulkRequest) {
  const { action, filter = {}, ids = null, fromStage = null } = bulk;
  return [action, JSON.stringify(filter), ids, fromStage] as const;
}

function bulkActionOf(row: BulkRow): BulkAction {
  return {
    id: row.id,
    action: row.action,
    filter: row.filter,
    ids: row.ids,
    fromStage: row.from_stage,
    status: row.status,
    user: row.asked_by,
    matched: { value: Number(row.matched), exact: row.is_matched_exact },
    done: row.done,
    skipped: row.skipped,
    failed: row.failed,
    failures: row.failures,
    startedAt: row.started_at,
    steppedAt: row.stepped_at,
    finishedAt: row.finished_at,
    lookedTo: row.looked_to,
  };
}
