const longestPauseMs = 5_000;

/** How long to wait after calls that failed. */
export class CallBackoff {
  readonly #random: () => number;
  #failuresInARow = 0;
  /** Calls that were under way together and fail together belong to one round. */
  #round = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Remember it when a call begins, and pass it to `failed` if that call fails. */
  get round(): number {
    return this.#round;
  }

  succeeded(): void {
    this.#failuresInARow = 0;
  }

  failed(beganInRound: number, isAway: boolean, nowMs: number): void {
    if (beganInRound !== this.#round) return;
    this.#round += 1;
    this.#failuresInARow += 1;
    // It may be one connection that was lost: the next one is tried at once.
    if (isAway && this.#failuresInARow === 1) return;
    const steps = Math.min(isAway ? this.#failuresInARow - 1 : this.#failuresInARow, 10);
    const pauseMs = Math.min(longestPauseMs, 100 * 2 ** steps);
    this.#pausedUntilMs = nowMs + pauseMs * (0.5 + this.#random() / 2);
  }

  /** How much of the pause is left; 0 outside a pause. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  end(): void {
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
  }
}
