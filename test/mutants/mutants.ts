import type { Mutant } from "./mutant.ts";
import { runtimeMutants } from "./runtime-mutants.ts";
import { sqlMutants } from "./sql-mutants.ts";

export const mutants: readonly Mutant[] = [...sqlMutants, ...runtimeMutants];

export function mutantNamed(name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (!found)
    throw new Error(`There is no mutant ${name}, only ${mutants.map((one) => one.name).join(", ")}.`);
  return found;
}

/** The mutant that this run of tests is to find, if it has one. */
export function mutantOfRun(): Mutant | undefined {
  // biome-ignore lint/style/noProcessEnv: a run's own settings come from the environment.
  const name = process.env.LOCKSTEP_MUTANT;
  return name ? mutantNamed(name) : undefined;
}
