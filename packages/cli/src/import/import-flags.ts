import type { Flags } from "../command-line/flags.ts";

/** What every import takes. */
export const importFlags = {
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
    sentence: "Go on although the version of the source is not one that was tried.",
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
