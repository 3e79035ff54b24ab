import type { Flags } from "./flags.ts";

/** What every command understands. */
export const globalFlags = {
  help: { type: "switch", short: "h", sentence: "Show examples and flags." },
  version: { type: "switch", sentence: "Show the version." },
  json: { type: "switch", sentence: "Print one JSON document." },
  jsonl: { type: "switch", sentence: "Print one JSON value a line, as it comes." },
  quiet: { type: "switch", short: "q", sentence: "Say nothing on stderr but errors." },
  verbose: { type: "switch", short: "v", sentence: "Say more on stderr." },
  debug: { type: "switch", sentence: "Say everything, stacks of errors and the engine's log too." },
  color: {
    type: "text",
    placeholder: "WHEN",
    choices: ["auto", "always", "never"],
    sentence: "auto (on a terminal), always or never.",
  },
  yes: { type: "switch", sentence: "Answer every question with yes." },
  "no-input": { type: "switch", sentence: "Never ask; refuse where a yes would be needed." },
  timeout: {
    type: "span",
    placeholder: "SPAN",
    sentence: "Give up after so long, such as 30s: exit code 124.",
  },
  "database-url": {
    type: "text",
    placeholder: "URL",
    sentence: "Where PostgreSQL is; else DATABASE_URL, else what `lockstep dev` runs in this folder.",
  },
} as const satisfies Flags;
