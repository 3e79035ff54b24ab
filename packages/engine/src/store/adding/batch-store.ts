import type { Batch } from "../../jobs/adding/batch.ts";
import type { JobOutcome } from "../../jobs/outcomes/job-outcome.ts";
import type { Branch } from "../../jobs/reading/branch.ts";
import type { Added, Settled } from "../../jobs/reading/job.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { Claim } from "../working/claim.ts";
import { addJobs, type EncodedJob } from "./add-jobs.ts";

export interface BatchAdd {
  readonly batchId: string;
  /** As add_jobs takes it. */
  readonly followerJson: string | null;
  readonly keepOpen: boolean;
  /** What one call takes each; every job names the batch. */
  readonly chunks: readonly (readonly EncodedJob[])[];
}

export interface FanOutWrite {
  readonly claim: Claim;
  /** Arrays of children as JSON text, what one call takes each. */
  readonly chunks: readonly string[];
  readonly onFailure: string;
  readonly returns: string | null;
  readonly output: string | null;
  readonly log: string | null;
}

const functions = {
  openBatch: sqlFunction("open_batch", ["p_id", "p_follower"]),
  closeBatch: sqlFunction("close_batch", ["p_id"]),
  getBatch: sqlFunction("get_batch", ["p_id"]),
  batchResults: sqlFunction("batch_results", ["p_id", "p_after", "p_limit"]),
  childrenOf: sqlFunction("children_of", ["p_job_id", "p_after", "p_limit"]),
  fanOutJob: sqlFunction("fan_out_job", [
    "p_id",
    "p_claim_token",
    "p_children",
    "p_on_failure",
    "p_output",
    "p_log",
    "p_more",
    "p_returns",
  ]),
  branchesOf: sqlFunction("branches_of", ["p_job_id"]),
};

/** The SQL functions of batches and fan-outs. */
export class BatchStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The batch, its jobs and what follows it, in one transaction. */
  add(batch: BatchAdd, isResent: boolean): Promise<{ added: Added[]; followerId: string | null }> {
    return this.#database.transaction(async (query) => {
      const [opened] = await query(functions.openBatch(batch.batchId, batch.followerJson));
      const added: Added[] = [];
      for (const jobs of batch.chunks) added.push(...(await addJobs(query, jobs, isResent)));
      if (!batch.keepOpen) await query(functions.closeBatch(batch.batchId));
      return { added, followerId: (opened?.follower_id ?? null) as string | null };
    });
  }

  /** Whether that changed anything. */
  async close(id: string): Promise<"closed" | "already_closed" | "not_found"> {
    const [row] = await this.#database.query<{ close_batch: "closed" | "already_closed" | "not_found" }>(
      functions.closeBatch(id),
    );
    return row?.close_batch ?? "not_found";
  }

  async get(id: string): Promise<Batch | null> {
    const [row] = await this.#database.query<BatchRow>(functions.getBatch(id));
    return row === undefined ? null : batchOf(row);
  }

  results(id: string, after: string | null, limit: number): Promise<JobOutcome[]> {
    return this.#database.query<JobOutcome>(functions.batchResults(id, after, limit));
  }

  childrenOf(jobId: string, after: string | null, limit: number): Promise<JobOutcome[]> {
    return this.#database.query<JobOutcome>(functions.childrenOf(jobId, after, limit));
  }

  /** What stages of a job wait for or have waited for. */
  async branchesOf(jobId: string): Promise<Branch[]> {
    const rows = await this.#database.query<BranchRow>(functions.branchesOf(jobId));
    return rows.map((row) => ({
      stage: row.stage,
      branch: row.branch,
      jobId: row.id,
      pipeline: row.pipeline,
      status: row.status,
      onFailure: row.on_failure,
      batchId: row.batch_id,
      beganAt: row.began_at,
      finishedAt: row.finished_at,
    }));
  }

  /** Ends the claim's stage with children, all or nothing. */
  async fanOut({ claim, chunks, onFailure, output, log, returns }: FanOutWrite): Promise<Settled> {
    const part = (children: string, isLast: boolean) =>
      functions.fanOutJob(claim.jobId, claim.token, children, onFailure, output, log, !isLast, returns);
    if (chunks.length <= 1) return answerOf(await this.#database.query(part(chunks[0] ?? "[]", true)));
    return this.#database.transaction(async (query) => {
      let answer: Settled = "lease_lost";
      for (const [index, children] of chunks.entries()) {
        answer = answerOf(await query(part(children, index === chunks.length - 1)));
        // The claim is not ours, or not any more: the rest would be told the same.
        if (answer !== "applied") return answer;
      }
      return answer;
    });
  }
}

interface BranchRow {
  stage: string;
  branch: string | null;
  id: string;
  pipeline: string | null;
  status: Branch["status"];
  on_failure: Branch["onFailure"];
  batch_id: string;
  began_at: Date;
  finished_at: Date | null;
}

interface BatchRow {
  id: string;
  state: Batch["state"];
  total: number;
  completed: number;
  failed: number;
  cancelled: number;
  added_at: Date;
  closed_at: Date | null;
  finished_at: Date | null;
  waiting_job_id: string | null;
}

function batchOf(row: BatchRow): Batch {
  return {
    id: row.id,
    state: row.state,
    total: row.total,
    completed: row.completed,
    failed: row.failed,
    cancelled: row.cancelled,
    addedAt: row.added_at,
    closedAt: row.closed_at,
    finishedAt: row.finished_at,
    waitingJobId: row.waiting_job_id,
  };
}

function answerOf(rows: readonly Record<string, unknown>[]): Settled {
  return (rows[0]?.fan_out_job ?? "lease_lost") as Settled;
}
