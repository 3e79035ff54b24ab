import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { UpkeepStore } from "../../store/working/upkeep-store.ts";
import { Ticker } from "../../waiting/ticker.ts";
import { Retention, type RetentionParts, retentionMs } from "./retention.ts";

export interface StalledJobMonitorParts extends RetentionParts {
  readonly store: Pick<UpkeepStore, "upkeep" | "endDueWaits" | "foldCounters"> & RetentionParts["store"];
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly workerId: () => string;
  readonly sweepIntervalMs: number;
  readonly cancelGraceMs: number;
  /** How many workers, this one among them, a wake-up may reach for whatever this one works on. */
  readonly onSleepers: (sleepers: number) => void;
  /** There are fewer than half as many as before: this worker should now do what it left to them. */
  readonly onFewSleepers: () => void;
  readonly random: () => number;
}

const foldMs = 15_000;
const longestIntervalMs = 120_000;
// Parts of the sweep's interval: the worker that swept last comes a little early, and another one only when that is late.
const ownTurn = 0.8;
const otherTurn = 1.2;

/** From when on the fleet's upkeep is overdue. */
export function upkeepAfterMs(sweepIntervalMs: number): number {
  return sweepIntervalMs * otherTurn;
}

/**
 * Takes back the jobs of workers that died, and ends jobs that did not start in time, for the whole fleet. The same call says
 * when counters must be folded and when retention is due. The worker that swept last sweeps again, since its connection has
 * the plans. If it dies, the next heartbeat of any worker says that the upkeep is overdue, and the worker that hears it takes
 * over. The more workers there are, the less often each of the others looks.
 */
export class StalledJobMonitor {
  readonly #parts: StalledJobMonitorParts;
  readonly #ticker: Ticker;
  readonly #retention: Retention;
  #isSweeper = false;
  #workers = 1;
  #sleepers = 1;

  constructor(parts: StalledJobMonitorParts) {
    this.#parts = parts;
    this.#retention = new Retention(parts);
    this.#ticker = new Ticker({
      intervalMs: () => this.#intervalMs(),
      clock: parts.clock,
      tick: () => this.#upkeep(),
      onError: (thrown) => {
        // An outage is told once, by the pool.
        if (!(thrown instanceof DatabaseUnavailableError)) parts.events.emitError(thrown);
      },
    });
  }

  start(): void {
    this.#ticker.start();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  /** The upkeep is overdue. */
  wake(): void {
    this.#ticker.wake();
  }

  async #upkeep(): Promise<void> {
    const { store, events, workerId, sweepIntervalMs, cancelGraceMs, onSleepers, onFewSleepers } =
      this.#parts;
    const sweepMs = this.#isSweeper ? sweepIntervalMs * ownTurn : upkeepAfterMs(sweepIntervalMs);
    const upkeep = await store.upkeep(workerId(), { sweepMs, cancelGraceMs, foldMs, retentionMs });
    const { hasSwept, lostJobs, failedJobs, expiredJobs, workers, sleepers } = upkeep;
    this.#isSweeper = hasSwept;
    this.#workers = workers;
    onSleepers(sleepers);
    if (Math.max(1, sleepers) < this.#sleepers / 2) onFewSleepers();
    this.#sleepers = sleepers;
    const count = lostJobs + failedJobs;
    if (count > 0) events.emit("job.lost", { count });
    if (expiredJobs > 0) events.emit("job.expired", { count: expiredJobs });
    if (upkeep.areWaitsDue) {
      const { ended, jobIds } = await store.endDueWaits();
      if (ended > 0) events.emit("job.waits_ended", { count: ended, jobIds });
    }
    if (upkeep.isFoldDue) await store.foldCounters(foldMs);
    if (upkeep.isRetentionDue) await this.#retention.run();
  }

  #intervalMs(): number {
    const { sweepIntervalMs, random } = this.#parts;
    if (this.#isSweeper || this.#workers <= 1) return sweepIntervalMs;
    const shareMs = Math.max(sweepIntervalMs, Math.min(longestIntervalMs, sweepIntervalMs * this.#workers));
    // Spread, so that workers do not come in step.
    return shareMs * (0.75 + random() / 2);
  }
}
