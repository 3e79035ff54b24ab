import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { UpkeepStore } from "../../store/working/upkeep-store.ts";
import { Ticker } from "../../waiting/ticker.ts";

export interface WaitKeeperParts {
  readonly store: Pick<UpkeepStore, "endDueWaits">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly random: () => number;
  /** Jobs have gone on to their next stage. */
  readonly onEnded: () => void;
}

const lookIntervalMs = 5_000;
// What is due and was not ended is locked by another transaction, which may last.
const lockedMs = 50;

/**
 * Ends sleeps that are over and waits whose signal did not come, when their time has come. Every worker does it whose pipelines
 * have such stages, without a leader: the database lets one of them end each wait. For all other pipelines the sweep does.
 */
export class WaitKeeper {
  readonly #parts: WaitKeeperParts;
  readonly #ticker: Ticker;
  #waitMs = lookIntervalMs;
  #nextLookMs = 0;

  constructor(parts: WaitKeeperParts) {
    this.#parts = parts;
    this.#ticker = new Ticker({
      intervalMs: () => this.#waitMs,
      clock: parts.clock,
      tick: () => this.#look(),
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

  /** A job of this worker has begun to wait for so long. */
  waitBegan(ms: number): void {
    if (this.#parts.clock.monotonicMs() + ms < this.#nextLookMs) this.#ticker.wake();
  }

  async #look(): Promise<void> {
    const { store, clock, events, random, onEnded } = this.#parts;
    // Spread by a quarter either way, so that a fleet that was started together does not look together.
    this.#waitMs = lookIntervalMs * (0.75 + 0.5 * random());
    const { ended, nextDueMs, jobIds } = await store.endDueWaits();
    const soonestMs = ended === 0 ? lockedMs : 1;
    if (nextDueMs !== null) this.#waitMs = Math.min(this.#waitMs, Math.max(soonestMs, nextDueMs));
    this.#nextLookMs = clock.monotonicMs() + this.#waitMs;
    if (ended === 0) return;
    events.emit("job.waits_ended", { count: ended, jobIds });
    onEnded();
  }
}
