import { setTimeout as wait } from "node:timers/promises";
import type { Engine, JobId } from "lockstep";
import type { EntryStore } from "../database/entry-store.ts";
import { processEntryName } from "../process-entry-name.ts";

const eventsBetweenNotes = 100;
const pauseMs = 1_000;

export interface FollowerParts {
  readonly store: Pick<EntryStore, "fail" | "unfinishedJobs" | "readCursor" | "writeCursor">;
  readonly engine: Pick<Engine, "readEvents" | "get">;
}

/**
 * Tells entries of the ends that no stage could write: a job that was cancelled, that timed out, or whose workers died too
 * often. Reads the log that is written in the same transaction as those ends, so none is missed; several may read at once.
 */
export async function followFailures(parts: FollowerParts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await followFromNote(parts, signal);
    } catch (error) {
      // From the last note again: what cannot be written now is not to be forgotten.
      if (!isBeforeFirstEntry(error)) {
        process.stderr.write(`The ends of jobs could not be written to their entries: ${String(error)}\n`);
      }
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** The pipeline is defined by the first worker, or with the first entry. */
function isBeforeFirstEntry(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "LS002";
}

async function followFromNote(parts: FollowerParts, signal: AbortSignal): Promise<void> {
  const { store, engine } = parts;
  const after = (await store.readCursor()) ?? "start";
  let unnoted = 0;
  for await (const event of engine.readEvents({ pipeline: processEntryName, after, signal })) {
    const isEnd = event.kind === "job.failed" || event.kind === "job.cancelled";
    const isGap = event.kind === "events.reset";
    if (isEnd) await tellEnd(parts, event.jobId);
    // The log is kept for some days: after a longer absence all that are not finished are looked at.
    if (isGap) await tellEnds(parts);
    unnoted += 1;
    if (!isEnd && !isGap && unnoted < eventsBetweenNotes) continue;
    unnoted = 0;
    await store.writeCursor(event.cursor);
  }
}

async function tellEnds(parts: FollowerParts): Promise<void> {
  for (const jobId of await parts.store.unfinishedJobs()) await tellEnd(parts, jobId);
}

/** As the job is now, not as the log had it: somebody may have retried it since. */
async function tellEnd({ store, engine }: FollowerParts, jobId: string): Promise<void> {
  const job = await engine.get(jobId as JobId);
  if (job === null) await store.fail(jobId, "Error: its result is no longer kept");
  else if (job.status === "failed") await store.fail(jobId, `Error: ${job.error?.message ?? "it failed"}`);
  else if (job.status === "cancelled") await store.fail(jobId, "Error: it was cancelled");
}
