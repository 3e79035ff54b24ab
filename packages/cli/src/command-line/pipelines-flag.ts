import type { Flag } from "./flags.ts";

/** The files whose pipelines a command runs. */
export const pipelinesFlag = {
  type: "text",
  many: true,
  placeholder: "FILE",
  completes: "files",
  sentence: "A file that exports pipelines, or a pattern; by default the usual places are searched.",
} as const satisfies Flag;
