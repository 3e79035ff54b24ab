import type { JobFilter } from "lockstep";

/** How many newest jobs of a list are looked at; "100" on a screen therefore means that many or more. */
export const newestLookedAt = 100;

/** A list that somebody looks at, and how many jobs would stand on it that do not yet. */
export class ListWatch {
  /** The same for those who filter alike: they are read together. */
  readonly key: string;
  readonly filter: JobFilter;
  readonly #newestShown: string | null;
  #known: ReadonlySet<string> | null = null;
  #oldestKnown = "";

  constructor(key: string, filter: JobFilter, newestShown: string | null) {
    this.key = key;
    this.filter = filter;
    this.#newestShown = newestShown;
  }

  /** Ids begin with their time, so newer ones are greater. What is found first was there before. */
  newCount(newest: readonly string[]): number {
    if (this.#known === null) {
      const shown = newest.filter((id) => this.#newestShown === null || id <= this.#newestShown);
      this.#known = new Set(shown);
      // With a full page, an older job that comes up is one that others have made room for.
      this.#oldestKnown = newest.length < newestLookedAt ? "" : (shown.at(-1) ?? this.#newestShown ?? "");
    }
    const known = this.#known;
    return newest.filter((id) => !known.has(id) && id > this.#oldestKnown).length;
  }
}
