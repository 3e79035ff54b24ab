import type { Clock } from "lockstep";

interface Sleeper {
  dueMs: number;
  wake(): void;
}

/** Time that moves only when a test says so. */
export class ManualClock implements Clock {
  readonly #startedAt: Date;
  #elapsedMs = 0;
  #sleepers: Sleeper[] = [];
  #watchers: { count: number; tell(): void }[] = [];

  constructor(startedAt = new Date("2026-01-01T12:00:00Z")) {
    this.#startedAt = startedAt;
  }

  now(): Date {
    return new Date(this.#startedAt.getTime() + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = {
        dueMs: this.#elapsedMs + Math.max(0, ms),
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          signal?.removeEventListener("abort", sleeper.wake);
          resolve();
        },
      };
      signal?.addEventListener("abort", sleeper.wake);
      this.#sleepers.push(sleeper);
      this.#tellWatchers();
    });
  }

  /** Moves time on and wakes whoever is due on the way, earliest first, also those who fall asleep meanwhile. */
  async advance(ms: number): Promise<void> {
    const targetMs = this.#elapsedMs + ms;
    await letOthersRun();
    for (let next = this.#nextDue(targetMs); next !== undefined; next = this.#nextDue(targetMs)) {
      this.#elapsedMs = next.dueMs;
      next.wake();
      await letOthersRun();
    }
    this.#elapsedMs = targetMs;
    await letOthersRun();
  }

  /** Resolves once this many sleep: a part that has real work to do before its sleep has then done it. */
  whenAsleep(count = 1): Promise<void> {
    if (this.#sleepers.length >= count) return Promise.resolve();
    return new Promise((tell) => this.#watchers.push({ count, tell }));
  }

  #nextDue(untilMs: number): Sleeper | undefined {
    // Equal instants keep the order in which they were asked for.
    return this.#sleepers
      .filter(({ dueMs }) => dueMs <= untilMs)
      .reduce<Sleeper | undefined>(
        (first, next) => (first && first.dueMs <= next.dueMs ? first : next),
        undefined,
      );
  }

  #tellWatchers(): void {
    const satisfied = this.#watchers.filter(({ count }) => this.#sleepers.length >= count);
    this.#watchers = this.#watchers.filter((watcher) => !satisfied.includes(watcher));
    for (const { tell } of satisfied) tell();
  }
}

async function letOthersRun(): Promise<void> {
  // Two rounds: what an immediate starts may itself need one.
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
