import type { Clock } from "../clock.ts";
import { LoopSleep } from "./loop-sleep.ts";

export interface TickerParts {
  /** A function is asked after each tick how long to sleep. */
  readonly intervalMs: number | (() => number);
  readonly clock: Clock;
  readonly tick: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Every so often, or when woken: one tick at a time, and stop() waits for the one under way. */
export class Ticker {
  readonly #parts: TickerParts;
  readonly #sleep: LoopSleep;
  #stopping: AbortController | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: TickerParts) {
    this.#parts = parts;
    this.#sleep = new LoopSleep(parts.clock);
  }

  start(): void {
    if (this.#stopping !== null) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#running = this.#run(stopping.signal);
  }

  /** Ticks soon, also when it is ticking now: what it was woken for may have come too late for that tick. */
  wake(): void {
    this.#sleep.wake();
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    this.#sleep.wake();
    await this.#running;
    this.#stopping = null;
  }

  async #run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      this.#sleep.beginRound();
      try {
        await this.#parts.tick();
      } catch (error) {
        this.#parts.onError(error);
      }
      if (this.#sleep.isWoken || stopping.aborted) continue;
      const { intervalMs } = this.#parts;
      await this.#sleep.sleep(typeof intervalMs === "function" ? intervalMs() : intervalMs);
      this.#sleep.end();
    }
  }
}
