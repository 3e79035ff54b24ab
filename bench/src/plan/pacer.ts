import type { Cell } from "./plan.ts";
import type { Size } from "./sizes.ts";
import { slowedSize } from "./slowed-size.ts";

const recentCells = 10;
const heavyWeight = 2.5;

/** Keeps a run with a time limit in it: fewer jobs while the machine is slower than the run was meant for. */
export class Pacer {
  readonly #size: Size;
  readonly #endAtMs: number;
  readonly #sizes = new Map<string, Size>();
  readonly #recent: { tookMs: number; weight: number }[] = [];
  #leftWeight: number;
  #factor: number;

  /** All that must be run should have been by `endAtMs`. */
  constructor(options: { size: Size; pace: number; endAtMs: number; cells: readonly Cell[] }) {
    this.#size = options.size;
    this.#factor = options.pace;
    this.#endAtMs = options.endAtMs;
    this.#leftWeight = sum(options.cells.filter(({ extra }) => extra === null).map(weightOf));
  }

  /** One size for all that are compared: decided when the first of them begins. */
  sizeFor(cell: Cell, nowMs: number): Size {
    const group = `${cell.part.name} ${cell.isFavourite}`;
    const decided = this.#sizes.get(group);
    if (decided !== undefined) return decided;
    this.#adjust(nowMs);
    const size = slowedSize(this.#size, this.#factor);
    this.#sizes.set(group, size);
    return size;
  }

  learn(cell: Cell, tookMs: number): void {
    if (cell.extra !== null) return;
    this.#leftWeight -= weightOf(cell);
    this.#recent.push({ tookMs, weight: weightOf(cell) });
    if (this.#recent.length > recentCells) this.#recent.shift();
  }

  #adjust(nowMs: number): void {
    if (this.#recent.length < recentCells || this.#leftWeight <= 0) return;
    const tookMs = sum(this.#recent.map((one) => one.tookMs)) / sum(this.#recent.map(({ weight }) => weight));
    const affordableMs = Math.max(0, this.#endAtMs - nowMs) / this.#leftWeight;
    // In steps, since part of what a run takes has nothing to do with the number of its jobs.
    const change = Math.min(1.25, Math.max(0.6, affordableMs / tookMs));
    this.#factor = Math.min(1, Math.max(0.2, this.#factor * change));
  }
}

function weightOf({ part }: Cell): number {
  return part.isHeavy === true ? heavyWeight : 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
