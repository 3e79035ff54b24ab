import { didYouMean } from "lockstep/internal";
import { CliError } from "./cli-error.ts";

export interface UnknownName {
  readonly kind: "pipeline" | "stage" | "schedule" | "budget" | "queue";
  /** What cannot be found: `There is no pipeline "x".` */
  readonly message: string;
  readonly name: string;
  /** The names that exist. */
  readonly names: readonly string[];
  readonly advice: string;
}

/** Nothing has this name: exit code 4, with the nearest existing name. */
export function unknownName({ kind, message, name, names, advice }: UnknownName): CliError {
  return new CliError({
    exit: "notFound",
    code: `${kind}.not_found`,
    message: `${message}${didYouMean(name, names)}`,
    advice,
  });
}
