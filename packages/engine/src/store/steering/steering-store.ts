import type { JobId } from "../../jobs/reading/job.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** What became of a cancel; `cancel_requested` when the job is running and its handler is told. */
export type CancelAnswer = "cancelled" | "cancel_requested" | "already_finished" | "not_found" | "changed";
/** What became of a retry; `conflict` when its dedup key is taken by another job. */
export type RetryAnswer = "applied" | "not_found" | "not_finished" | "conflict" | "changed";

/** The answer to a retry; with a conflict, the live job that has the dedup key. */
export interface Retried {
  readonly answer: RetryAnswer;
  readonly twinId: string | null;
}

/** What became of a fork; `not_finished` when the job is live. */
export type ForkAnswer = "forked" | "not_found" | "not_finished" | "changed";

/** The answer to a fork, with the new job. */
export interface Forked<Result = unknown> {
  readonly answer: ForkAnswer;
  readonly id: JobId<Result> | null;
}

const functions = {
  cancelJob: sqlFunction("cancel_job", ["p_id", "p_if_version"]),
  retryJob: sqlFunction("retry_job", ["p_id", "p_from_stage", "p_if_version"]),
  forkJob: sqlFunction("fork_job", ["p_id", "p_from_stage", "p_new_id", "p_if_version"]),
  pauseStage: sqlFunction("pause_stage", ["p_pipeline", "p_stage"]),
  resumeStage: sqlFunction("resume_stage", ["p_pipeline", "p_stage"]),
};

/** What people do to jobs and stages, on the pool or in a transaction. */
export class SteeringStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async cancel(id: string, ifVersion: string | null): Promise<CancelAnswer> {
    const [row] = await this.#database.query<{ cancel_job: CancelAnswer }>(
      functions.cancelJob(id, ifVersion),
    );
    return row?.cancel_job ?? "not_found";
  }

  async retry(id: string, fromStage: string | null, ifVersion: string | null): Promise<Retried> {
    const [row] = await this.#database.query<{ answer: RetryAnswer; twin_id: string | null }>(
      functions.retryJob(id, fromStage, ifVersion),
    );
    return { answer: row?.answer ?? "not_found", twinId: row?.twin_id ?? null };
  }

  async fork(id: string, fromStage: string | null, newId: string, ifVersion: string | null): Promise<Forked> {
    const [row] = await this.#database.query<{ answer: ForkAnswer; id: string | null }>(
      functions.forkJob(id, fromStage, newId, ifVersion),
    );
    return { answer: row?.answer ?? "not_found", id: row?.id ?? null };
  }

  async pause(pipeline: string, stage: string): Promise<boolean> {
    const [row] = await this.#database.query<{ pause_stage: boolean }>(functions.pauseStage(pipeline, stage));
    return row?.pause_stage ?? false;
  }

  async resume(pipeline: string, stage: string): Promise<boolean> {
    const [row] = await this.#database.query<{ resume_stage: boolean }>(
      functions.resumeStage(pipeline, stage),
    );
    return row?.resume_stage ?? false;
  }
}
