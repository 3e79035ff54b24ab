// For the jobs that arrive in a row; together they outlast the fsync of an add that saw this worker awake.
const shortStepsMs = [2, 4, 8, 16];
// For what was added before, and is committed after, this worker said that it sleeps.
const afterAnnouncingMs = [10, 50, 250];

/**
 * How long to wait before the next look when nothing was found: close together at first, then the worker says
 * that it sleeps and looks again for what came meanwhile, then it polls slowly.
 */
export class IdleLadder {
  readonly #pollIntervalMs: number;
  readonly #isWoken: boolean;
  #step = 0;

  constructor(pollIntervalMs: number, isWoken: boolean) {
    this.#pollIntervalMs = pollIntervalMs;
    this.#isWoken = isWoken;
  }

  /** A job was found: from the top. */
  reset(): void {
    this.#step = 0;
  }

  /** "announce" asks the worker to say that it sleeps, and to look again at once. */
  next(isAnnounced: boolean, random: number): number | "announce" {
    if (!this.#isWoken) return this.#pollIntervalMs;
    const shortStepMs = shortStepsMs[this.#step];
    if (shortStepMs === undefined && !isAnnounced) {
      this.#step = shortStepsMs.length;
      return "announce";
    }
    const stepMs = shortStepMs ?? afterAnnouncingMs[this.#step - shortStepsMs.length];
    if (stepMs !== undefined) {
      this.#step += 1;
      return stepMs;
    }
    // Spread, so that workers do not come in step.
    return this.#pollIntervalMs * (0.75 + random / 2);
  }
}
