import type { Flags } from "../command-line/flags.ts";
import { usageError } from "../errors/cli-error.ts";
import type { Io } from "../session/io.ts";

/** What every import takes. */
export const importFlags = {
  "from-env": {
    type: "text",
    placeholder: "NAME",
    sentence: "The environment variable with the URL of the source; other users could read a flag.",
  },
  queue: {
    type: "text",
    placeholder: "QUEUE=PIPELINE",
    many: true,
    sentence: "Only this queue, into this pipeline; may be given several times.",
  },
  "dry-run": { type: "switch", sentence: "Change nothing; say what would be taken over, and what refused." },
  batch: {
    type: "number",
    least: 1,
    most: 5_000,
    sentence: "How many jobs are handed over at a time; default 500.",
  },
  "force-version": {
    type: "switch",
    sentence: "Continue although this version of the source was not tested.",
  },
} as const satisfies Flags;

export const defaultBatch = 500;

/** For a queue that has its jobs in tables. */
export const sqlImportFlags = {
  from: {
    type: "text",
    placeholder: "URL",
    sentence: "The database of the source; by default that of Lockstep.",
  },
  "from-schema": { type: "text", placeholder: "SCHEMA", sentence: "Its schema, if it is not the usual one." },
  ...importFlags,
  keep: {
    type: "switch",
    sentence: "Leave the jobs in the source as cancelled or failed, rather than delete them.",
  },
} as const satisfies Flags;

/** Where the source is, from the flag or from the variable that the other names. */
export function sourceUrl(
  { from, "from-env": name }: { readonly from: string | undefined; readonly "from-env": string | undefined },
  { env }: Pick<Io, "env">,
): string | undefined {
  if (name === undefined) return from;
  if (from !== undefined) throw usageError("Give --from or --from-env, not both.");
  const url = env[name];
  if (url === undefined || url === "") throw usageError(`The variable ${name} of --from-env is not set.`);
  return url;
}
