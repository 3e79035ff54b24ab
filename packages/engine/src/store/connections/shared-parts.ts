import type { Clock } from "../../clock.ts";

/**
 * Parts that the workers of one process share: one part for each key. Workers with a clock of their own, as in tests, share
 * nothing with others, whose time passes differently.
 */
export class SharedParts<Part> {
  readonly #byClock = new WeakMap<Clock, Map<string, Part>>();

  /** The part in use, or a new one. */
  get(clock: Clock, key: string, make: () => Part): Part {
    const parts = this.#byClock.get(clock) ?? new Map<string, Part>();
    this.#byClock.set(clock, parts);
    const part = parts.get(key) ?? make();
    parts.set(key, part);
    return part;
  }

  /** Nobody uses it any more: the next one to ask gets a new one, however long this one takes to end. */
  drop(clock: Clock, key: string): void {
    this.#byClock.get(clock)?.delete(key);
  }
}
