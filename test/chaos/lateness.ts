const everyMs = 100;

/** How far this machine lags behind: a bound in time means nothing without it. */
export class Lateness {
  readonly #ask: () => Promise<unknown>;
  readonly #samples: { readonly atMs: number; readonly lateMs: number }[] = [];
  #isOver = false;

  /** `ask` is a short question to the database, which is not repeated: in an outage nobody is late. */
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
    return percentile(
      this.#samples.map(({ lateMs }) => lateMs),
      0.99,
    );
  }

  /** The largest delay of the looks that were under way in this span. */
  mostWithin(fromMs: number, untilMs: number): number {
    const within = this.#samples.filter(
      ({ atMs, lateMs }) => atMs >= fromMs && atMs - lateMs - everyMs <= untilMs,
    );
    return Math.max(0, ...within.map(({ lateMs }) => lateMs));
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const beganMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const isAnswered = await this.#ask().then(
        () => true,
        () => false,
      );
      const lateMs = performance.now() - beganMs - everyMs;
      if (isAnswered) this.#samples.push({ atMs: Date.now(), lateMs });
    }
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
