import { shareMs } from "./share-ms.ts";

// For the jobs that arrive in a row.
const shortStepsMs = [2];
// For jobs that come faster than it is worth to be woken for each: they are found by looking.
const hurriedStepsMs = [2, 4, 8, 16];
// For what was committed just before others could see that this worker sleeps.
const afterAnnouncingMs = [10, 50, 250];

/** How a worker hears of new jobs: it has not said that it sleeps, it has, or no wake-up can reach it. */
export type Hearing = "awake" | "announced" | "deaf";

/**
 * How long to wait before the next look when nothing was found: close together at first, then the worker says
 * that it sleeps and looks again for what came meanwhile. From then on it is woken, and polls only slowly.
 */
export class IdleLadder {
  readonly #pollIntervalMs: number;
  #shortStep = 0;
  #isHurried = false;
  #afterAnnouncing = 0;
  #sleepers = 1;

  constructor(pollIntervalMs: number) {
    this.#pollIntervalMs = pollIntervalMs;
  }

  /** A job was found: more may follow. */
  found(): void {
    this.#shortStep = 0;
  }

  /** Jobs come so fast that wake-ups are not wanted for a while. */
  hurry(): void {
    this.#shortStep = 0;
    this.#isHurried = true;
  }

  announced(): void {
    this.#afterAnnouncing = 0;
    this.#isHurried = false;
  }

  /** How many workers, this one among them, sleep for the same jobs: together they look as often as one alone would. */
  get sleepers(): number {
    return this.#sleepers;
  }

  set sleepers(count: number) {
    this.#sleepers = Math.max(1, count);
  }

  /** "announce" asks the worker to say that it sleeps, and to look again at once. */
  next(hearing: Hearing, random: number): number | "announce" {
    const stepMs = hearing === "announced" ? this.#nextAfterAnnouncing() : this.#nextShort(hearing);
    // Spread, so that workers do not come in step.
    return stepMs ?? (hearing === "awake" ? "announce" : this.#pollMs(hearing) * (0.75 + random / 2));
  }

  #pollMs(hearing: Hearing): number {
    return hearing === "deaf" ? this.#pollIntervalMs : shareMs(this.#pollIntervalMs, this.#sleepers);
  }

  #nextAfterAnnouncing(): number | undefined {
    this.#afterAnnouncing += 1;
    return afterAnnouncingMs[this.#afterAnnouncing - 1];
  }

  #nextShort(hearing: Hearing): number | undefined {
    const stepsMs =
      hearing === "deaf"
        ? [...hurriedStepsMs, ...afterAnnouncingMs]
        : this.#isHurried
          ? hurriedStepsMs
          : shortStepsMs;
    this.#shortStep += 1;
    return stepsMs[this.#shortStep - 1];
  }
}
