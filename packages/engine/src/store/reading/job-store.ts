import type { Job } from "../../jobs/reading/job.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import { type JobRow, jobOf } from "./job-row.ts";
import { type Reason, type ReasonRow, reasonOf } from "./reason.ts";

export interface FinishedResult {
  readonly id: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly result: unknown;
  readonly error: unknown;
}

/** A job that is not finished; its payload only where it was asked for. */
export interface LiveJob {
  readonly id: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly payload: unknown;
}

export interface UnknownJob {
  readonly id: string;
  /** The oldest transaction that is open now. */
  readonly openFrom: bigint;
  /** The first transaction that has not begun yet. */
  readonly begunUntil: bigint;
  /** How long ago the id was drawn; null where it does not tell. */
  readonly ageMs: number | null;
}

const functions = {
  get: sqlFunction("get_job", ["p_id", "p_full"]),
  explain: sqlFunction("explain_job", ["p_id"]),
  liveJobs: sqlFunction("live_jobs", ["p_pipelines", "p_after"]),
  finishedResults: sqlFunction("finished_results", ["p_ids"]),
  unknownJobs: sqlFunction("unknown_jobs", ["p_ids"]),
};

/** Jobs one by one, as programs ask for them. For lists see ListStore. */
export class JobStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** Large parts are left out unless the whole job is asked for. */
  async get(id: string, isWhole = true): Promise<Job | null> {
    const [row] = await this.#database.query<JobRow>(functions.get(id, isWhole));
    return row === undefined ? null : jobOf(row);
  }

  async explain(id: string): Promise<Reason[]> {
    const rows = await this.#database.query<ReasonRow>(functions.explain(id));
    return rows.map(reasonOf);
  }

  /** A page of them, oldest first; none: there are no more after this one. */
  liveJobs(payloadsOf: readonly string[], after: string | null): Promise<LiveJob[]> {
    return this.#database.query<LiveJob>(functions.liveJobs(payloadsOf, after));
  }

  finishedResults(ids: readonly string[]): Promise<FinishedResult[]> {
    return this.#database.query<FinishedResult>(functions.finishedResults(ids));
  }

  /** Those that are neither live nor finished, as far as transactions have committed. */
  async unknownJobs(ids: readonly string[]): Promise<UnknownJob[]> {
    const rows = await this.#database.query<UnknownJobRow>(functions.unknownJobs(ids));
    return rows.map((row) => ({
      id: row.id,
      openFrom: BigInt(row.open_from),
      begunUntil: BigInt(row.begun_until),
      ageMs: row.age_ms,
    }));
  }
}

interface UnknownJobRow {
  readonly id: string;
  readonly open_from: string;
  readonly begun_until: string;
  readonly age_ms: number | null;
}
