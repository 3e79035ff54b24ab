import type { Waking } from "./waking.ts";

/** The classic timing: the worker looks only at its own times. It announces nothing and ignores wake-ups. */
export class PollOnly implements Waking {
  readonly looksBetweenPolls = false;
  readonly isBusy = false;
  readonly passOnAtMs = Number.POSITIVE_INFINITY;
  sleepers = 1;
  readonly #pollIntervalMs: number;

  constructor(pollIntervalMs: number) {
    this.#pollIntervalMs = pollIntervalMs;
  }

  async foundTooFew(): Promise<number> {
    return this.#pollIntervalMs;
  }

  async foundAll(): Promise<void> {}
  heard(): void {}
  wokenUp(): void {}
  found(): void {}
  passOn(): void {}
  workerChanged(): void {}
}
