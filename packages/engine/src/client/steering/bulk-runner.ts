import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { type BulkStore, jobsPerStep } from "../../store/steering/bulk-store.ts";
import { Ticker } from "../../waiting/ticker.ts";

export interface BulkRunnerParts {
  readonly store: Pick<BulkStore, "running" | "step">;
  readonly clock: Clock;
  readonly events: EngineEvents;
}

const idleMs = 5_000;
const leastPauseMs = 20;
const runAtOnce = 20;

/**
 * Drives the bulk actions that are not finished, whoever has started them, a small step of each in turn. Any number of
 * runners may do so at once, and what one leaves behind, stopped or killed, the others go on with.
 */
export class BulkRunner {
  readonly #parts: BulkRunnerParts;
  readonly #ticker: Ticker;
  #pauseMs = idleMs;

  constructor(parts: BulkRunnerParts) {
    this.#parts = parts;
    this.#ticker = new Ticker({
      intervalMs: () => this.#pauseMs,
      clock: parts.clock,
      tick: () => this.#stepAll(),
      onError: (thrown) => {
        this.#pauseMs = idleMs;
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

  /** One has been started. */
  wake(): void {
    this.#ticker.wake();
  }

  async #stepAll(): Promise<void> {
    const { store, clock } = this.#parts;
    const began = clock.monotonicMs();
    let hasMore = false;
    for (const id of await store.running(runAtOnce)) {
      const answer = await store.step(id, jobsPerStep);
      hasMore ||= answer === "running" || answer === "busy";
    }
    // It rests as long as it works, so that half of what it takes from the database is left to others.
    this.#pauseMs = hasMore ? Math.max(leastPauseMs, clock.monotonicMs() - began) : idleMs;
  }
}
