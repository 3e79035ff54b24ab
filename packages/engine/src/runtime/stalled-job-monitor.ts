import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { type ActionStore, actionsPerDeletion } from "../store/action-store.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import { type EffectStore, effectsPerDeletion } from "../store/effect-store.ts";
import { type JobStore, keysPerDeletion } from "../store/job-store.ts";
import { Ticker } from "./ticker.ts";

export interface StalledJobMonitorParts {
  readonly store: Pick<JobStore, "upkeep" | "foldCounters" | "deleteFinished" | "deleteRecentKeys"> & {
    readonly effects: Pick<EffectStore, "deleteOld">;
    readonly actions: Pick<ActionStore, "deleteOld">;
  };
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly workerId: () => string;
  readonly sweepIntervalMs: number;
  readonly cancelGraceMs: number;
  readonly keepCompletedDays: number;
  readonly keepFailedDays: number;
  readonly keepEventsDays: number;
  readonly keepActionsDays: number;
  /** How many workers, this one among them, a wake-up may reach for whatever this one works on. */
  readonly onSleepers: (sleepers: number) => void;
  /** They have become less than half: what this worker left to them it had better do now. */
  readonly onFewSleepers: () => void;
  readonly random: () => number;
}

const foldMs = 15_000;
const retentionMs = 3_600_000;
const longestIntervalMs = 120_000;
// Of the sweep's interval: whoever swept last comes back a little early by its timer, anybody else steps in when it is late.
const ownTurn = 0.8;
const otherTurn = 1.2;

/** From when on the fleet's upkeep is overdue. */
export function upkeepAfterMs(sweepIntervalMs: number): number {
  return sweepIntervalMs * otherTurn;
}

/**
 * Takes back the jobs of workers that died, ends what did not start in time, and keeps the counts and the finished jobs in
 * order, for the whole fleet. Whoever has swept does it again, since its plans are made; should it have died, the next
 * heartbeat of any worker says that the upkeep is due, and whoever hears that goes on with it. The others come the less
 * often the more they are.
 */
export class StalledJobMonitor {
  readonly #parts: StalledJobMonitorParts;
  readonly #ticker: Ticker;
  #isSweeper = false;
  #workers = 1;
  #sleepers = 1;

  constructor(parts: StalledJobMonitorParts) {
    this.#parts = parts;
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
    const { keepCompletedDays, keepFailedDays, keepEventsDays } = this.#parts;
    const sweepMs = this.#isSweeper ? sweepIntervalMs * ownTurn : upkeepAfterMs(sweepIntervalMs);
    const { hasSwept, lostJobs, failedJobs, expiredJobs, isFoldDue, isRetentionDue, workers, sleepers } =
      await store.upkeep(workerId(), { sweepMs, cancelGraceMs, foldMs, retentionMs });
    this.#isSweeper = hasSwept;
    this.#workers = workers;
    onSleepers(sleepers);
    if (Math.max(1, sleepers) < this.#sleepers / 2) onFewSleepers();
    this.#sleepers = sleepers;
    const count = lostJobs + failedJobs;
    if (count > 0) events.emit("job.lost", { count });
    if (expiredJobs > 0) events.emit("job.expired", { count: expiredJobs });
    if (isFoldDue) await store.foldCounters(foldMs);
    if (!isRetentionDue) return;
    await store.deleteFinished(keepCompletedDays, keepFailedDays, keepEventsDays, retentionMs);
    await this.#deleteEffects();
    await this.#deleteRecentKeys();
    await this.#deleteOldActions();
  }

  /** Those whose jobs retention has dropped. Whoever has the turn goes on until none are left. */
  async #deleteEffects(): Promise<void> {
    const { store, keepCompletedDays, keepFailedDays } = this.#parts;
    const keepDays = Math.min(keepCompletedDays, keepFailedDays);
    let looked = await store.effects.deleteOld(keepDays, retentionMs);
    while (looked === effectsPerDeletion) looked = await store.effects.deleteOld(keepDays, 0);
  }

  async #deleteRecentKeys(): Promise<void> {
    const { store } = this.#parts;
    let looked = await store.deleteRecentKeys(retentionMs);
    while (looked === keysPerDeletion) looked = await store.deleteRecentKeys(0);
  }

  async #deleteOldActions(): Promise<void> {
    const { store, keepActionsDays } = this.#parts;
    let deleted = await store.actions.deleteOld(keepActionsDays, retentionMs);
    while (deleted === actionsPerDeletion) deleted = await store.actions.deleteOld(keepActionsDays, 0);
  }

  #intervalMs(): number {
    const { sweepIntervalMs, random } = this.#parts;
    if (this.#isSweeper || this.#workers <= 1) return sweepIntervalMs;
    const shareMs = Math.max(sweepIntervalMs, Math.min(longestIntervalMs, sweepIntervalMs * this.#workers));
    // Spread, so that workers do not come in step.
    return shareMs * (0.75 + random() / 2);
  }
}
