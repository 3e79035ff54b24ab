import type { BenchOptions } from "./bench-options.ts";
import type { Contender } from "./contender-list.ts";
import type { Order } from "./measurements/measurements.ts";
import type { Part } from "./part.ts";

/** One run of one contender's program; several parts may read its numbers. */
export interface Cell {
  readonly key: string;
  readonly contender: Contender;
  readonly order: Order;
  readonly round: number;
  readonly isHeavy: boolean;
  readonly serverSettings: Part["serverSettings"];
}

const favourites = new Set(["lockstep", "plain-sql", "graphile-worker", "pg-boss"]);

/** What decides the ratios comes first, what takes longest after it: a run with a time limit says the most in any case. */
function passOf({ contender, isHeavy }: Cell): number {
  if (favourites.has(contender.module)) return isHeavy ? 1 : 0;
  return contender.module === "bullmq-redis" ? 2 : 3;
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

/** Part by part, round by round, the contenders in another order each time: what the machine does meanwhile hits all alike. */
export function planOf(options: BenchOptions): Cell[] {
  const cells: Cell[] = [];
  const seen = new Set<string>();
  for (const part of options.parts) {
    const taking = contendersOf(part, options.contenders).filter(
      (contender) => !seen.has(keyOf(part, contender, options)),
    );
    const isHeavy = part.isHeavy === true;
    const rounds = isHeavy ? 1 : options.rounds;
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of rotated(taking, round)) {
        const key = keyOf(part, contender, options);
        seen.add(key);
        const order = part.order(options.size, contender);
        // The few workers of a smoke run fit anywhere.
        const serverSettings = options.size.name === "smoke" ? undefined : part.serverSettings;
        cells.push({ key, contender, order, round, isHeavy, serverSettings });
      }
    }
  }
  if (options.size.budgetMs === null) return cells;
  return cells.sort((a, b) => passOf(a) - passOf(b));
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
