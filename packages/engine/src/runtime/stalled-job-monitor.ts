import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import { type EffectStore, effectsPerDeletion } from "../store/effect-store.ts";
import { type JobStore, keysPerDeletion } from "../store/job-store.ts";
import { Ticker } from "./ticker.ts";

export interface StalledJobMonitorParts {
  readonly store: Pick<JobStore, "sweep" | "foldCounters" | "deleteFinished" | "deleteRecentKeys"> & {
    readonly effects: Pick<EffectStore, "deleteOld">;
  };
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly sweepIntervalMs: number;
  readonly cancelGraceMs: number;
  readonly keepCompletedDays: number;
  readonly keepFailedDays: number;
  readonly keepEventsDays: number;
}

const foldIntervalMs = 15_000;
const retentionIntervalMs = 3_600_000;
// More often than it is due, so that the hour is kept though workers come and go.
const retentionTryMs = 600_000;

/** Takes back the jobs of workers that died, ends what did not start in time, and keeps counts and finished jobs in order. */
export class StalledJobMonitor {
  readonly #parts: StalledJobMonitorParts;
  readonly #tickers: readonly Ticker[];

  constructor(parts: StalledJobMonitorParts) {
    this.#parts = parts;
    const { store, sweepIntervalMs, keepCompletedDays, keepFailedDays, keepEventsDays } = parts;
    this.#tickers = [
      this.#every(sweepIntervalMs, () => this.#sweep()),
      this.#every(foldIntervalMs, () => store.foldCounters(foldIntervalMs)),
      this.#every(retentionTryMs, async () => {
        await store.deleteFinished(keepCompletedDays, keepFailedDays, keepEventsDays, retentionIntervalMs);
        await this.#deleteEffects();
        await this.#deleteRecentKeys();
      }),
    ];
  }

  start(): void {
    for (const ticker of this.#tickers) ticker.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tickers.map((ticker) => ticker.stop()));
  }

  async #sweep(): Promise<void> {
    const { store, events, sweepIntervalMs, cancelGraceMs } = this.#parts;
    // The fleet sweeps about once per interval; a timer that fires a little early must not miss its turn.
    const { lostJobs, failedJobs, expiredJobs } = await store.sweep(sweepIntervalMs * 0.8, cancelGraceMs);
    const count = lostJobs + failedJobs;
    if (count > 0) events.emit("job.lost", { count });
    if (expiredJobs > 0) events.emit("job.expired", { count: expiredJobs });
  }

  /** Those whose jobs retention has dropped. Whoever has the turn goes on until none are left. */
  async #deleteEffects(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays } = this.#parts;
    const keepDays = Math.min(keepCompletedDays, keepFailedDays);
    let looked = await store.effects.deleteOld(keepDays, retentionIntervalMs);
    while (looked === effectsPerDeletion) looked = await store.effects.deleteOld(keepDays, 0);
  }

  async #deleteRecentKeys(): Promise<void> {
    const { store } = this.#parts;
    let looked = await store.deleteRecentKeys(retentionIntervalMs);
    while (looked === keysPerDeletion) looked = await store.deleteRecentKeys(0);
  }

  #every(intervalMs: number, tick: () => Promise<void>): Ticker {
    const { clock, events } = this.#parts;
    return new Ticker({
      intervalMs,
      clock,
      tick,
      onError: (thrown) => {
        // An outage is told once, by the pool.
        if (!(thrown instanceof DatabaseUnavailableError)) events.emitError(thrown);
      },
    });
  }
}
