import type { Claim } from "../../store/working/claim.ts";
import type { ClaimStore } from "../../store/working/claim-store.ts";

export interface HeldClaimsParts {
  readonly store: Pick<ClaimStore, "presentClaims">;
  readonly workerId: () => string;
}

/** What this worker holds: the claims whose end the database has not confirmed. */
export class HeldClaims {
  readonly #parts: HeldClaimsParts;
  readonly #byJob = new Map<string, Claim>();

  constructor(parts: HeldClaimsParts) {
    this.#parts = parts;
  }

  add(claim: Claim): void {
    this.#byJob.set(claim.jobId, claim);
  }

  /** The database has the end of this claim. The job may be held under a new one. */
  remove({ jobId, token }: Claim): void {
    if (this.has(jobId, token)) this.#byJob.delete(jobId);
  }

  has(jobId: string, token: string): boolean {
    return this.#byJob.get(jobId)?.token === token;
  }

  get isEmpty(): boolean {
    return this.#byJob.size === 0;
  }

  /** Presents all claims; comes back with the jobs whose claims are lost. */
  lost(): Promise<string[]> {
    return this.lostAmong(this.#byJob.keys());
  }

  /** Presents the claims of these jobs, since a crash of PostgreSQL may have forgotten them; comes back with the lost ones. */
  async lostAmong(jobIds: Iterable<string>): Promise<string[]> {
    const { store, workerId } = this.#parts;
    const claims = [...jobIds].flatMap((jobId) => this.#byJob.get(jobId) ?? []);
    const lost = await store.presentClaims(workerId(), claims);
    // What has ended meanwhile, or goes on under a new token, is not lost.
    return claims
      .filter(({ jobId, token }) => lost.has(jobId) && this.has(jobId, token))
      .map(({ jobId }) => jobId);
  }
}
