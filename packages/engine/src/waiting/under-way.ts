/** What callers have begun and wait for. */
export class UnderWay {
  readonly #promises = new Set<Promise<unknown>>();

  /** The same promise, known until it is settled. */
  add<Result>(promise: Promise<Result>): Promise<Result> {
    this.#promises.add(promise);
    const forget = () => this.#promises.delete(promise);
    promise.then(forget, forget);
    return promise;
  }

  /** Resolves when all that is under way now is settled; what begins later does not hold it up. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#promises]);
  }
}
