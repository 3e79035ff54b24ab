import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import type { Flags, FlagValues } from "./flags.ts";

/** What says which jobs, and how. */
export const bulkFlags = {
  filter: {
    type: "text",
    placeholder: "FILTER",
    sentence: "All jobs that match, such as 'status:failed pipeline:document-ocr since:24h'.",
  },
  "dry-run": { type: "switch", sentence: "Change nothing; say how many jobs match." },
} as const satisfies Flags;

export interface BulkRequest {
  readonly action: "cancel" | "retry";
  readonly ids: readonly string[];
  readonly flags: FlagValues<typeof bulkFlags>;
  readonly fromStage?: string | undefined;
}

export async function bulkJobs(_context: CommandContext, { action, flags }: BulkRequest): Promise<number> {
  if (flags.filter === undefined) {
    throw usageError("Which jobs?", `Use it as: lockstep jobs ${action} ID… or --filter FILTER`);
  }
  throw usageError("A filter cannot be used here yet: give ids.");
}
