import { randomUUID } from "node:crypto";
import type { Engine } from "lockstep";
import type { EntriesDatabase } from "../database/entries-database.ts";
import { entriesTable } from "../database/entries-table.ts";
import type { Entry } from "../entry.ts";
import type { NewEntry } from "../new-entry.ts";
import { entryOwner, processEntryName } from "../process-entry-name.ts";
import { entryOf } from "./entry-of.ts";

/** The entry and its job, or neither: whatever ends this process after the commit, a worker finds the job. */
export async function createEntry(
  { db, engine }: { db: EntriesDatabase; engine: Pick<Engine, "add"> },
  { title }: NewEntry,
): Promise<Entry> {
  const id = randomUUID();
  return await db.transaction(async (tx) => {
    const job = await engine.add(processEntryName, { entryId: id }, { tx, owner: entryOwner });
    const [row] = await tx.insert(entriesTable).values({ id, title, jobId: job.id }).returning();
    if (row === undefined) throw new Error(`Entry ${id} was not inserted.`);
    return entryOf(row);
  });
}
