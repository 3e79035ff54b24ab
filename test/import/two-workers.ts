const alone = 20;

/** Counts what the workers of two queues run, and lets both have a part. */
export class TwoWorkers {
  /** How many times each job ran, by its number. */
  readonly ran = new Map<number, number>();
  here = 0;
  there = 0;
  /** Resolves when the other queue's worker has run its first job. */
  readonly begun: Promise<void>;
  /** Resolves when all have run. */
  readonly all: Promise<void>;
  readonly #firstHere: Promise<void>;
  readonly #count: number;
  #onBegun: () => void = () => {};
  #onAll: () => void = () => {};
  #onFirstHere: () => void = () => {};

  constructor(count: number) {
    this.#count = count;
    this.begun = new Promise((resolve) => {
      this.#onBegun = resolve;
    });
    this.all = new Promise((resolve) => {
      this.#onAll = resolve;
    });
    this.#firstHere = new Promise((resolve) => {
      this.#onFirstHere = resolve;
    });
  }

  /** Our handler. */
  readonly runHere = (n: number): void => {
    this.here += 1;
    this.#note(n);
    this.#onFirstHere();
  };

  /** Theirs. Once it has run some it waits for the first job here: a fast one would leave nothing to take over. */
  readonly runThere = async (n: number): Promise<void> => {
    this.there += 1;
    this.#note(n);
    this.#onBegun();
    if (this.there >= alone) await this.#firstHere;
  };

  /** How often those jobs ran that did not run once. */
  get wrong(): number[] {
    return [...this.ran.values()].filter((times) => times !== 1);
  }

  #note(n: number): void {
    this.ran.set(n, (this.ran.get(n) ?? 0) + 1);
    if (this.ran.size === this.#count) this.#onAll();
  }
}
