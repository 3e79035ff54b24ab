/** Whose turn it is, where a worker has too little room left to ask for jobs of all its stages at once. */
export class StageTurns {
  readonly #stageIds: readonly number[];
  #first = 0;
  readonly #passed = new Set<number>();
  readonly #asked = new Set<number>();

  constructor(stageIds: readonly number[]) {
    this.#stageIds = stageIds;
  }

  /** The stage that was left out last time comes first. */
  get order(): readonly number[] {
    return [...this.#stageIds.slice(this.#first), ...this.#stageIds.slice(0, this.#first)];
  }

  /** This stage had its turn, and was asked unless all of its own processors are busy. */
  passed(stageId: number, wasAsked: boolean): void {
    this.#first = (this.#stageIds.indexOf(stageId) + 1) % this.#stageIds.length;
    this.#passed.add(stageId);
    if (wasAsked) this.#asked.add(stageId);
  }

  /** The stages that were asked in this round, once each had its turn; null before. Then the next round begins. */
  endRound(): number[] | null {
    if (this.#passed.size < this.#stageIds.length) return null;
    const asked = [...this.#asked];
    this.beginRound();
    return asked;
  }

  beginRound(): void {
    this.#passed.clear();
    this.#asked.clear();
  }
}
