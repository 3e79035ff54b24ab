import type { CompleteBatching } from "../../jobs/pipelines/batch-option.ts";

/** When the jobs that wait for a batch handler are enough for a call: as many as it takes, or the first has waited long enough. */
export class BatchGathering {
  readonly #batching: CompleteBatching;
  /** How many of the waiting jobs were first seen when, the oldest first. */
  #arrivals: { count: number; atMs: number }[] = [];

  constructor(batching: CompleteBatching) {
    this.#batching = batching;
  }

  /** How many of the waiting jobs go into the next call now; 0: it waits for more. */
  ready(waiting: number, nowMs: number): number {
    this.#note(waiting, nowMs);
    const { size } = this.#batching;
    return waiting >= size || nowMs >= this.dueMs ? Math.min(waiting, size) : 0;
  }

  /** When the first of the waiting jobs has waited long enough; infinite when none waits. */
  get dueMs(): number {
    const [first] = this.#arrivals;
    return first === undefined ? Number.POSITIVE_INFINITY : first.atMs + this.#batching.waitMs;
  }

  /** So many of them have gone. */
  took(count: number): void {
    let left = count;
    while (left > 0) {
      const [first] = this.#arrivals;
      if (first === undefined) return;
      const taken = Math.min(left, first.count);
      first.count -= taken;
      left -= taken;
      if (first.count === 0) this.#arrivals.shift();
    }
  }

  #note(waiting: number, nowMs: number): void {
    const known = this.#arrivals.reduce((sum, { count }) => sum + count, 0);
    if (waiting > known) this.#arrivals.push({ count: waiting - known, atMs: nowMs });
    // They were given back.
    else this.took(known - waiting);
  }
}
