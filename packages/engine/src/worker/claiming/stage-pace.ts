// Jobs are claimed ahead for no longer than this.
const aheadMs = 100;
const shortestSampleMs = 5;
const growth = 8;
// How much one attempt weighs in the mean of their durations.
const weight = 1 / 8;

/** How fast a stage's jobs end here, and so how many may be claimed ahead: none for slow jobs, many for fast ones. */
export class StagePace {
  /** The most jobs that run at a time. */
  readonly #atOnce: number;
  #perMs = 0;
  #burst = 0;
  #ended = 0;
  #sinceMs: number;
  #meanMs: number | null = null;

  constructor(atOnce: number, nowMs: number) {
    this.#atOnce = atOnce;
    this.#sinceMs = nowMs;
  }

  ended(durationMs: number): void {
    this.#ended += 1;
    this.#meanMs = this.#meanMs === null ? durationMs : this.#meanMs + (durationMs - this.#meanMs) * weight;
  }

  jobsAhead(nowMs: number): number {
    const sampleMs = nowMs - this.#sinceMs;
    if (sampleMs >= shortestSampleMs) {
      this.#perMs = (this.#perMs + this.#ended / sampleMs) / 2;
      this.#burst = this.#ended;
      this.#ended = 0;
      this.#sinceMs = nowMs;
    }
    // Slow jobs may happen to end in the same moment; that makes them no faster.
    const mostPerMs = this.#meanMs === null ? 0 : this.#atOnce / this.#meanMs;
    // While few are claimed few can end: their number may grow by this much from one look to the next.
    const mayEnd = Math.max(this.#perMs * aheadMs, this.#burst * growth);
    return Math.floor(Math.min(mayEnd, mostPerMs * aheadMs));
  }
}
