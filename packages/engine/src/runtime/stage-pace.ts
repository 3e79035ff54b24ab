// Jobs are claimed ahead for no longer than this.
const aheadMs = 100;
const shortestSampleMs = 5;

/** How fast a stage's jobs end here, and so how many may be claimed ahead: none for slow jobs, many for fast ones. */
export class StagePace {
  #perMs = 0;
  #ended = 0;
  #sinceMs: number;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  ended(): void {
    this.#ended += 1;
  }

  jobsAhead(nowMs: number): number {
    const sampleMs = nowMs - this.#sinceMs;
    if (sampleMs >= shortestSampleMs) {
      this.#perMs = (this.#perMs + this.#ended / sampleMs) / 2;
      this.#ended = 0;
      this.#sinceMs = nowMs;
    }
    return Math.floor(this.#perMs * aheadMs);
  }
}
