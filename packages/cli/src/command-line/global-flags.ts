import type { Flags } from "./flags.ts";

/** What every command understands. */
export const globalFlags = {
  help: { type: "switch", short: "h", sentence: "Show examples and flags." },
  version: { type: "switch", sentence: "Show the version." },
  json: { type: "switch", sentence: "Print one JSON document." },
  jsonl: { type: "switch", sentence: "Print one JSON value per line, as it comes." },
  quiet: { type: "switch", short: "q", sentence: "Print nothing but errors on stderr." },
  verbose: { type: "switch", short: "v", sentence: "Print more on stderr." },
  debug: { type: "switch", sentence: "Print everything, including error stacks and the engine's log." },
  color: {
    type: "text",
    placeholder: "WHEN",
    choices: ["auto", "always", "never"],
    sentence: "auto (on a terminal), always or never.",
  },
  yes: { type: "switch", sentence: "Answer yes to every question." },
  "no-input": { type: "switch", sentence: "Never ask; fail if a confirmation is needed." },
  timeout: {
    type: "span",
    placeholder: "SPAN",
    sentence: "Give up after this long, such as 30s: exit code 124.",
  },
  "database-url": {
    type: "text",
    placeholder: "URL",
    sentence: "The database; by default DATABASE_URL, or else the one of `lockstep dev` in this folder.",
  },
  schema: {
    type: "text",
    placeholder: "NAME",
    sentence: "The schema of the installation; by default LOCKSTEP_SCHEMA, or else lockstep.",
  },
} as const satisfies Flags;
