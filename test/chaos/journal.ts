import { openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What handlers and producers saw themselves, told outside the database. */
export type JournalEntry =
  | {
      readonly kind: "start";
      readonly run: string;
      readonly jobId: string;
      readonly stage: string;
      readonly token: string;
    }
  | { readonly kind: "end"; readonly run: string }
  /** A late word of an attempt that had lost its claim. */
  | { readonly kind: "refused"; readonly jobId: string; readonly stage: string }
  | { readonly kind: "error"; readonly message: string };

/** One process's own file: what is written is there, whatever becomes of the process. */
export class Journal {
  readonly #file: number;

  constructor(folder: string, name: string) {
    this.#file = openSync(join(folder, `${name}.jsonl`), "a");
  }

  write(entry: JournalEntry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/** All that was written in a folder. A line that was cut by its process's death has nobody to miss it. */
export function readJournals(folder: string): JournalEntry[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .flatMap((line) => parsed(line));
}

function parsed(line: string): JournalEntry[] {
  try {
    return [JSON.parse(line) as JournalEntry];
  } catch {
    return [];
  }
}
