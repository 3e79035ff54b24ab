import type { Clock } from "../clock.ts";

/** The sleep of a loop that others wake. A second wake-up in the same round changes nothing. */
export class LoopSleep {
  readonly #clock: Pick<Clock, "sleep">;
  #isWoken = false;
  #wakeUp: (() => void) | null = null;
  #timer = new AbortController();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** A round of the loop begins: a wake-up from now on asks for another round. */
  beginRound(): void {
    this.#isWoken = false;
  }

  wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#wakeUp?.();
  }

  get isWoken(): boolean {
    return this.#isWoken;
  }

  async sleep(ms: number): Promise<void> {
    // Ends the timer of the last sleep, if the loop was woken from it: not sooner, since the work it was woken for comes first.
    this.end();
    this.#timer = new AbortController();
    const timeIsUp = this.#clock.sleep(ms, this.#timer.signal);
    await new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
      void timeIsUp.then(resolve);
    });
    this.#wakeUp = null;
  }

  /** Ends the timer of a sleep from which the loop was woken. */
  end(): void {
    // A reason of our own, since the default one is an error with its stack.
    this.#timer.abort("woken");
  }
}
