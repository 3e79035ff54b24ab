import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Claim, End } from "./model-job.ts";
import { type NewJob, QueueModel } from "./queue-model.ts";

export interface Sent {
  readonly claim: Claim;
  readonly end: End;
}

/** What the processes around the queue know: it outlives leases, sweeps and failovers, and so it may be out of date. */
export class Clients {
  readonly model = new QueueModel();
  /** The id that each process works under. */
  readonly workerIds: string[] = [];
  claims: Claim[] = [];
  /** Ends that were sent, for sending them again. */
  sent: Sent[] = [];
  readonly adds: NewJob[] = [];
  readonly #known = new Set<string>();
  #drawn = 0;

  /** The same ids in each replay, in no order. */
  newId(): string {
    this.#drawn += 1;
    const hash = createHash("sha256").update(`id ${this.#drawn}`).digest("hex");
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  }

  /** No two claims are the same, even where the database has forgotten one. */
  remember(claim: Claim): void {
    const name = `${claim.jobId} ${claim.token}`;
    assert.ok(!this.#known.has(name), `claim ${name} was given before`);
    this.#known.add(name);
    this.claims.push(claim);
  }

  /** Counted from the latest, so that what a pick means does not change when something else is left out. */
  claim(pick: number): Claim | undefined {
    return this.claims.at(-1 - (pick % Math.max(1, this.claims.length)));
  }

  jobId(pick: number): string | undefined {
    const { jobs } = this.model;
    return jobs.at(-1 - (pick % Math.max(1, jobs.length)))?.id;
  }

  /** A process that is gone takes what it knew with it. */
  forget(process: number): void {
    const workerId = this.workerIds[process];
    this.claims = this.claims.filter((claim) => claim.workerId !== workerId);
    this.sent = this.sent.filter(({ claim }) => claim.workerId !== workerId);
  }
}
