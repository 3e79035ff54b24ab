import type { Engine, JobId } from "lockstep";
import type { EntryStore } from "../database/entry-store.ts";
import type { EntryStatus } from "../entry.ts";

// What an entry says before the stage in which it failed.
const statusAt: Record<number, EntryStatus> = { 0: "CREATED", 33: "STAGE_1", 66: "STAGE_2" };

export type RetryAnswer = "retried" | "not_found" | "not_failed" | "not_kept";

/** Lets the job of a failed entry go on from the stage in which it failed. */
export async function retryEntry(
  { store, engine }: { store: Pick<EntryStore, "find" | "replace">; engine: Pick<Engine, "retry"> },
  entryId: string,
): Promise<RetryAnswer> {
  const entry = await store.find(entryId);
  if (entry === null) return "not_found";
  if (entry.status !== "FAILED") return "not_failed";
  const { answer } = await engine.retry(entry.jobId as JobId);
  if (answer === "not_found") return "not_kept";
  if (answer !== "applied") return "not_failed";
  // Unless a worker was faster: what its stage has written since is newer.
  await store.replace(entry, { status: statusAt[entry.progress] ?? "CREATED" });
  return "retried";
}
