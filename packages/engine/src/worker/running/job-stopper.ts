import type { EngineEvents } from "../../events/engine-events.ts";
import type { ClaimKey } from "../../store/working/claim.ts";
import type { ClaimStore } from "../../store/working/claim-store.ts";
import type { HeldClaims } from "../claiming/held-claims.ts";
import type { JobQueue } from "../claiming/job-queue.ts";
import type { JobScheduler } from "../claiming/job-scheduler.ts";
import type { WorkerLease } from "../lease/worker-lease.ts";
import type { ProcessorPool } from "./processor-pool.ts";

export interface JobStopperParts {
  readonly store: Pick<ClaimStore, "cancelRequests" | "settleAndClaim">;
  readonly events: EngineEvents;
  readonly held: HeldClaims;
  readonly queue: Pick<JobQueue, "isWaiting">;
  readonly pool: Pick<ProcessorPool, "abort" | "abortAll">;
  readonly scheduler: Pick<JobScheduler, "giveBackWaiting">;
  readonly lease: Pick<WorkerLease, "markInDoubt">;
  readonly workerId: () => string;
}

/** Ends what this worker is no longer to run: jobs to be cancelled, lost claims, and claims it does not know of. */
export class JobStopper {
  readonly #parts: JobStopperParts;

  constructor(parts: JobStopperParts) {
    this.#parts = parts;
  }

  cancel(jobIds: readonly string[]): void {
    const { pool, events } = this.#parts;
    for (const jobId of jobIds) {
      if (pool.abort(jobId, "cancel")) events.emit("job.cancel_requested", { jobId });
    }
    this.#giveBackIfWaiting(jobIds);
  }

  /** Asks which of the held jobs are to be cancelled. */
  async askForCancels(): Promise<void> {
    const { store, held, workerId } = this.#parts;
    // A worker also asks when it begins to listen, and then it often holds nothing yet.
    if (held.isEmpty) return;
    try {
      this.cancel(await store.cancelRequests(workerId()));
    } catch {
      // The next heartbeat brings the same answer.
    }
  }

  /** The claims of these jobs are lost. */
  lose(jobIds: readonly string[]): void {
    for (const jobId of jobIds) this.#parts.pool.abort(jobId, "lease_lost");
    this.#giveBackIfWaiting(jobIds);
  }

  /** The same, unless this worker holds the job under a later claim: what an attempt hears after its end is not about the next one. */
  loseClaim({ jobId, token }: ClaimKey): void {
    if (this.#parts.held.has(jobId, token)) this.lose([jobId]);
  }

  /** The same, but not for claims that a crash of PostgreSQL has forgotten and that hold again. */
  async loseUnlessHeld(jobIds: readonly string[]): Promise<void> {
    try {
      this.lose(await this.#parts.held.lostAmong(jobIds));
    } catch {
      // When the attempts are settled, the database says the same.
    }
  }

  /** The lease is lost, or about to be, and with it all claims. */
  loseAll(): void {
    const { pool, scheduler } = this.#parts;
    pool.abortAll("lease_lost");
    scheduler.giveBackWaiting();
  }

  /** Claims whose reply was lost: held by us in the database, unknown to us here. */
  giveBackUnknown(heldThere: readonly { id: string; token: string }[]): void {
    const { store, held, lease, workerId } = this.#parts;
    const unknown = heldThere.filter(({ id, token }) => !held.has(id, token));
    if (unknown.length === 0) return;
    const settlements = unknown.map(({ id, token }) => ({
      jobId: id,
      token,
      outcome: "release" as const,
      value: null,
      delayMs: null,
      timedOut: false,
      keepIn: null,
      log: null,
    }));
    store.settleAndClaim(workerId(), settlements, []).catch(() => lease.markInDoubt());
  }

  /** If one of them waits for a processor, all waiting jobs go back, and the database says what becomes of each. */
  #giveBackIfWaiting(jobIds: readonly string[]): void {
    const { queue, scheduler } = this.#parts;
    if (jobIds.some((jobId) => queue.isWaiting(jobId))) scheduler.giveBackWaiting();
  }
}
