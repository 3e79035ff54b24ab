import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Contender, contenders, lockstepBefore } from "../contenders/contender-list.ts";
import type { Part } from "./part.ts";
import { parts } from "./parts.ts";
import { type Size, sizes } from "./sizes.ts";

/** What one run of bench is to do. */
export interface BenchOptions {
  readonly size: Size;
  readonly rounds: number;
  /** Of the parts that matter most, as the time allows. */
  readonly keyRounds: number;
  readonly parts: readonly Part[];
  readonly contenders: readonly Contender[];
  /** The folder of an installed PostgreSQL to run on; null for the one of the packages. */
  readonly postgres: string | null;
}

/** From the command line; throws a sentence about what cannot be used. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      smoke: { type: "boolean", default: false },
      parts: { type: "string" },
      contenders: { type: "string" },
      rounds: { type: "string" },
      before: { type: "string" },
      postgres: { type: "string" },
    },
  });
  const size = values.smoke ? sizes.smoke : values.quick ? sizes.quick : sizes.full;
  const rounds = Number(values.rounds ?? size.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a whole number from 1 on.");
  return {
    size,
    rounds,
    keyRounds: values.rounds === undefined ? size.keyRounds : rounds,
    parts: chosen(parts, values.parts, "part").filter(
      ({ isLong }) => size.name !== "quick" || isLong !== true,
    ),
    contenders: [
      ...chosen(contenders, values.contenders, "contender"),
      ...(values.before === undefined ? [] : [lockstepBefore(resolve(values.before))]),
    ],
    postgres: values.postgres === undefined ? null : resolve(values.postgres),
  };
}

/** All, or those whose names begin with one of the given: "drain" means drain-cold too. */
function chosen<Named extends { readonly name: string }>(
  all: readonly Named[],
  list: string | undefined,
  kind: string,
): readonly Named[] {
  if (list === undefined) return all;
  const wanted = list.split(",").map((name) => name.trim());
  for (const name of wanted) {
    if (all.some((one) => one.name.startsWith(name))) continue;
    throw new Error(`There is no ${kind} "${name}". There are: ${all.map((one) => one.name).join(", ")}.`);
  }
  return all.filter((one) => wanted.some((name) => one.name.startsWith(name)));
}
