interface Waiting<Item, Answer> {
  item: Item;
  readonly told: ((answer: Answer) => void)[];
  readonly failed: ((error: unknown) => void)[];
}

const mostPerCall = 1_000;

/**
 * Sends what many attempts ask for in one call, one call at a time. Of what has not been sent, a later item takes the place of an
 * earlier one under the same key, and both get its answer.
 */
export class GatheredCalls<Item, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  #waiting = new Map<string, Waiting<Item, Answer>>();
  #running: Promise<void> | null = null;

  constructor(send: (items: readonly Item[]) => Promise<readonly Answer[]>) {
    this.#send = send;
  }

  add(key: string, item: Item): Promise<Answer> {
    const waiting = this.#waiting.get(key) ?? { item, told: [], failed: [] };
    waiting.item = item;
    this.#waiting.set(key, waiting);
    this.#running ??= this.#run();
    return new Promise((resolve, reject) => {
      waiting.told.push(resolve);
      waiting.failed.push(reject);
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      // What is asked for in the same turn goes in one call.
      await new Promise((resolve) => setImmediate(resolve));
      const taken = [...this.#waiting].slice(0, mostPerCall);
      for (const [key] of taken) this.#waiting.delete(key);
      await this.#call(taken.map(([, waiting]) => waiting));
    }
    this.#running = null;
  }

  async #call(taken: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#send(taken.map(({ item }) => item));
      for (const [index, { told }] of taken.entries()) {
        for (const tell of told) tell(answers[index] as Answer);
      }
    } catch (error) {
      for (const { failed } of taken) for (const fail of failed) fail(error);
    }
  }
}
