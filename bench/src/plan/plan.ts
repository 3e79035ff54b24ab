import type { Contender } from "../contenders/contender-list.ts";
import type { BenchOptions } from "./bench-options.ts";
import type { Part } from "./part.ts";

/** One run of one contender's program; several parts may read its numbers. */
export interface Cell {
  readonly key: string;
  readonly contender: Contender;
  readonly part: Part;
  /** Whether it can decide a ratio. */
  readonly isFavourite: boolean;
  readonly round: number;
  /** A round more than the run must have: it is begun as a whole, when there is time for all of its group. */
  readonly extra: { readonly group: string } | null;
  readonly serverSettings: ReturnType<NonNullable<Part["serverSettings"]>>;
}

/** Those that can decide a ratio; the others are slower by far, and one round shows it. */
const favourites = new Set([
  "lockstep",
  "lockstep default",
  "lockstep before",
  "plain-sql",
  "graphile-worker",
  "graphile-worker default",
  "pg-boss",
  "bullmq-redis",
  "bullmq-redis default",
]);

/** Round by round, and in each what decides the ratios first: a run with a time limit says the most in any case. */
function passOf({ isFavourite, round }: Cell): number {
  return 2 * round + (isFavourite ? 0 : 1);
}

/** The contenders of a part: in its configuration, or in their only one. */
export function contendersOf(part: Part, contenders: readonly Contender[]): Contender[] {
  return part.modules.flatMap((module) => {
    const ofModule = contenders.filter((contender) => contender.module === module);
    const wanted = ofModule.filter(({ isTuned }) => isTuned === (part.configuration === "tuned"));
    return wanted.length > 0 ? wanted : ofModule.filter(({ role }) => role === "limit");
  });
}

export function keyOf(part: Part, contender: Contender, options: Pick<BenchOptions, "size">): string {
  return `${contender.name} ${JSON.stringify(part.order(options.size, contender))}`;
}

/**
 * Round by round, part by part, the contenders in another order each time: what the machine does meanwhile hits all alike, and
 * parts that are compared with each other too.
 */
export function planOf(options: BenchOptions): Cell[] {
  const cells: Cell[] = [];
  const seen = new Set<string>();
  for (const part of options.parts) {
    const taking = contendersOf(part, options.contenders).filter(
      (contender) => !seen.has(keyOf(part, contender, options)),
    );
    const rounds = part.isHeavy === true ? 1 : options.rounds;
    const wished = part.isKey === true ? Math.max(rounds, options.keyRounds) : rounds;
    for (let round = 0; round < wished; round += 1) {
      const isExtra = round >= rounds;
      const present = isExtra ? taking.filter(({ name }) => favourites.has(name)) : taking;
      for (const contender of rotated(present, round)) {
        const key = keyOf(part, contender, options);
        seen.add(key);
        cells.push({
          key,
          contender,
          part,
          isFavourite: favourites.has(contender.name),
          round,
          extra: isExtra ? { group: `${part.name} ${round}` } : null,
          serverSettings: part.serverSettings?.(options.size),
        });
      }
    }
  }
  const isLimited = options.size.budgetMs !== null;
  return cells.sort((a, b) => (isLimited ? passOf(a) - passOf(b) : a.round - b.round));
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
