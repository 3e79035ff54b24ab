import { CliError } from "../errors/cli-error.ts";

export interface VersionCheck {
  readonly whose: string;
  /** What of it has a version: "schema", "library". */
  readonly what: string;
  readonly found: string;
  readonly known: readonly string[];
  readonly isForced: boolean;
}

/** Refuses a version that this command was never tried with, unless it is told to go on. */
export function checkVersion({ whose, what, found, known, isForced }: VersionCheck): void {
  if (isForced || known.includes(found)) return;
  throw new CliError({
    exit: "conflict",
    code: "import.version",
    message: `The ${what} of ${whose} has version ${found}, and this command knows ${known.join(", ")}.`,
    why: "Another version may keep its jobs in another way, and jobs could be lost or run twice.",
    advice: `Bring ${whose} to that version first, or try it on a copy with --force-version.`,
  });
}
