import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { Claim, HeldClaim, Settlement, StageRequest } from "./claim.ts";
import { type Exchange, settleAndClaim } from "./settle-and-claim.ts";

/** What an attempt tells of itself while it runs. */
export interface ProgressReport {
  readonly claim: Claim;
  /** Null: its progress has not changed. */
  readonly percent: number | null;
  readonly note: string | null;
  readonly data: unknown;
  /** All its log lines so far, as JSON text; null: there are no new ones. */
  readonly log: string | null;
}

export type ClaimState = "held" | "locked" | "advanced" | "completed" | "failed" | "cancelled" | "lost";

const functions = {
  reportProgress: sqlFunction("report_progress_of_jobs", ["p_reports"]),
  claimState: sqlFunction("claim_state", ["p_id", "p_claim_token"]),
  presentClaims: sqlFunction("present_claims", [
    "p_worker_id",
    "p_ids",
    "p_tokens",
    "p_stage_ids",
    "p_attempts",
  ]),
  setSignalKey: sqlFunction("set_signal_key", ["p_id", "p_claim_token", "p_key"]),
  cancelRequests: sqlFunction("cancel_requests", ["p_worker_id"]),
};

/** The claims of a worker: taken, reported on, presented, settled. */
export class ClaimStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  settleAndClaim(
    workerId: string,
    settlements: readonly Settlement[],
    requests: readonly StageRequest[],
  ): Promise<Exchange> {
    return settleAndClaim(this.#database, workerId, settlements, requests);
  }

  /** Comes back with the jobs that this worker no longer holds. */
  async reportProgress(reports: readonly ProgressReport[]): Promise<string[]> {
    const json = reports.map(({ claim, log, ...report }) => ({
      ...{ id: claim.jobId, token: claim.token },
      ...report,
      ...(log !== null && { log: JSON.parse(log) }),
    }));
    const rows = await this.#database.query<{ report_progress_of_jobs: string }>(
      functions.reportProgress(JSON.stringify(json)),
    );
    return rows.map((row) => row.report_progress_of_jobs);
  }

  async claimState({ jobId, token }: Claim): Promise<ClaimState> {
    const [row] = await this.#database.query<{ claim_state: ClaimState }>(functions.claimState(jobId, token));
    return row?.claim_state ?? "lost";
  }

  /** Tells what this worker holds, since a crash of PostgreSQL may have forgotten it; comes back with the jobs that are lost. */
  async presentClaims(workerId: string, claims: readonly HeldClaim[]): Promise<ReadonlySet<string>> {
    const rows = await this.#database.query<{ job_id: string }>(
      functions.presentClaims(
        workerId,
        claims.map(({ jobId }) => jobId),
        claims.map(({ token }) => token),
        claims.map(({ stageId }) => stageId),
        claims.map(({ attempt }) => attempt),
      ),
    );
    return new Set(rows.map(({ job_id }) => job_id));
  }

  /** Gives the claim's job a key to be signalled by. */
  async setSignalKey({ jobId, token }: HeldClaim, key: string): Promise<"applied" | "lease_lost"> {
    const [row] = await this.#database.query<{ set_signal_key: "applied" | "lease_lost" }>(
      functions.setSignalKey(jobId, token, key),
    );
    return row?.set_signal_key ?? "lease_lost";
  }

  /** The jobs this worker holds that are to be cancelled. */
  async cancelRequests(workerId: string): Promise<string[]> {
    const rows = await this.#database.query<{ cancel_requests: string }>(functions.cancelRequests(workerId));
    return rows.map((row) => row.cancel_requests);
  }
}
