import type { Claim } from "../../store/working/claim.ts";

/** What became of a claim that was to enter the queue. */
export type Enqueued = "queued" | "already_queued" | "already_processing" | "in_other_stage" | "full";

interface Line {
  claims: Claim[];
  /** Where the line begins: cheaper than moving every claim up when the first one leaves. */
  head: number;
}

/** Claimed jobs that wait for a processor: a bounded line per stage, in which no job stands twice. */
export class JobQueue {
  readonly #limit: number;
  readonly #lines = new Map<number, Line>();
  /** By job: the stage in whose line it waits, or null while it is processed. */
  readonly #stageIds = new Map<string, number | null>();
  #waiting = 0;

  constructor(stageIds: readonly number[], limit: number) {
    this.#limit = limit;
    for (const stageId of stageIds) this.#lines.set(stageId, { claims: [], head: 0 });
  }

  enqueue(claim: Claim): Enqueued {
    const stageId = this.#stageIds.get(claim.jobId);
    if (stageId === null) return "already_processing";
    if (stageId !== undefined) return stageId === claim.stageId ? "already_queued" : "in_other_stage";
    const line = this.#line(claim.stageId);
    if (line.claims.length - line.head >= this.#limit) return "full";
    line.claims.push(claim);
    this.#stageIds.set(claim.jobId, claim.stageId);
    this.#waiting += 1;
    return "queued";
  }

  /** The next waiting job of a stage; it counts as processing until `end`. */
  dequeue(stageId: number): Claim | undefined {
    const line = this.#line(stageId);
    const claim = line.claims[line.head];
    if (claim === undefined) return undefined;
    line.head += 1;
    // Under load a line is never empty: what has left it must go all the same, payloads and all.
    if (line.head === line.claims.length || line.head >= this.#limit) {
      line.claims = line.claims.slice(line.head);
      line.head = 0;
    }
    this.#stageIds.set(claim.jobId, null);
    this.#waiting -= 1;
    return claim;
  }

  /** A job's attempt has ended; it may come again. */
  end(jobId: string): void {
    this.#stageIds.delete(jobId);
  }

  waiting(stageId: number): number {
    const line = this.#line(stageId);
    return line.claims.length - line.head;
  }

  isWaiting(jobId: string): boolean {
    return typeof this.#stageIds.get(jobId) === "number";
  }

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** Empties every line, for jobs that are to be given back. */
  takeAll(): Claim[] {
    const claims: Claim[] = [];
    for (const line of this.#lines.values()) {
      for (let index = line.head; index < line.claims.length; index += 1) {
        const claim = line.claims[index];
        if (claim === undefined) continue;
        claims.push(claim);
        this.#stageIds.delete(claim.jobId);
      }
      line.claims = [];
      line.head = 0;
    }
    this.#waiting = 0;
    return claims;
  }

  #line(stageId: number): Line {
    const line = this.#lines.get(stageId);
    if (line === undefined) throw new Error(`This worker has no queue for stage ${stageId}.`);
    return line;
  }
}
