import { randomUUID } from "node:crypto";
import type { Engine } from "lockstep";
import type { EntryStore } from "../database/entry-store.ts";
import type { Entry } from "../entry.ts";
import type { NewEntry } from "../new-entry.ts";
import { entryOwner, processEntryName } from "../process-entry-name.ts";

/** The entry and its job, or neither: whatever ends this process after the commit, a worker finds the job. */
export async function createEntry(
  { store, engine }: { store: Pick<EntryStore, "transaction">; engine: Pick<Engine, "add"> },
  { title }: NewEntry,
): Promise<Entry> {
  const id = randomUUID();
  return await store.transaction(async ({ tx, insert }) => {
    const job = await engine.add(processEntryName, { entryId: id }, { tx, owner: entryOwner });
    return await insert({ id, title, jobId: job.id });
  });
}
