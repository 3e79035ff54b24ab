import type { Cell } from "./plan.ts";

/** Whether there is time for one more round of a part: of all in it or of none, so that none is measured more than another. */
export class ExtraRounds {
  readonly #keysOf = new Map<string, string[]>();
  readonly #tookMs = new Map<string, number>();
  readonly #decided = new Map<string, boolean>();

  constructor(cells: readonly Cell[]) {
    for (const { key, extra } of cells) {
      if (extra === null) continue;
      this.#keysOf.set(extra.group, [...(this.#keysOf.get(extra.group) ?? []), key]);
    }
  }

  /** What a run took says what it will take. */
  learn({ key }: Pick<Cell, "key">, tookMs: number): void {
    this.#tookMs.set(key, tookMs);
  }

  isInTime({ group }: NonNullable<Cell["extra"]>, leftMs: number): boolean {
    const keys = this.#keysOf.get(group) ?? [];
    const wantedMs = keys.reduce((sum, key) => sum + (this.#tookMs.get(key) ?? 0), 0);
    const isInTime = this.#decided.get(group) ?? wantedMs <= leftMs;
    this.#decided.set(group, isInTime);
    return isInTime;
  }
}
