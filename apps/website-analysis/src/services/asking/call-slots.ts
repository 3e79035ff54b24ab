/** So many calls at once, in the order in which they were asked for. */
export class CallSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Waits for its turn, unless the signal aborts before. */
  async use<Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Value> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await call();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(begin);
    });
  }
}
