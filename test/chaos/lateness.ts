const everyMs = 100;

/** How far this machine lags behind: a bound in time means nothing without it. */
export class Lateness {
  readonly #ask: () => Promise<unknown>;
  readonly #samplesMs: number[] = [];
  #isOver = false;

  /** `ask` is a short question to the database; in an outage of its own making nobody is late. */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#isOver = true;
  }

  /** The delay that all but one in a hundred looks stayed below. */
  get mostMs(): number {
    return percentile(this.#samplesMs, 0.99);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const beganMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const isAnswered = await this.#ask().then(
        () => true,
        () => false,
      );
      if (isAnswered) this.#samplesMs.push(performance.now() - beganMs - everyMs);
    }
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
