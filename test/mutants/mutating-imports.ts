import { isSql } from "./mutant.ts";
import { mutantOfRun } from "./mutants.ts";

/** Node's options for a program that is to run with the mutant of this run, before those of any other loader. */
export function mutatingImports(): string[] {
  const replacements = mutantOfRun()?.replacements.filter((one) => !isSql(one)) ?? [];
  if (replacements.length === 0) return [];
  const url = new URL("./mutating-loader.js", import.meta.url);
  url.searchParams.set("replacements", JSON.stringify(replacements));
  return ["--import", url.href];
}
