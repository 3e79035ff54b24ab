import { and, eq, notInArray } from "drizzle-orm";
import type { EntriesDatabase } from "../database/entries-database.ts";
import { entriesTable } from "../database/entries-table.ts";
import type { EntryStatus } from "../entry.ts";
import { PermanentError } from "../native-packages.ts";

/** What a stage leaves in its entry. */
export interface EntryStep {
  readonly status: EntryStatus;
  /** As it was, unless given. */
  readonly progress?: number;
  readonly result?: string;
}

export const finishedStatuses: EntryStatus[] = ["COMPLETED", "FAILED"];

type Writer = Pick<EntriesDatabase, "update">;

export async function readTitle(db: EntriesDatabase, entryId: string): Promise<string> {
  const [row] = await db
    .select({ title: entriesTable.title })
    .from(entriesTable)
    .where(eq(entriesTable.id, entryId));
  if (row === undefined) {
    throw new PermanentError(
      `There is no entry ${entryId}. An entry and its job are made together, by POST /api/entries.`,
    );
  }
  return row.title;
}

export async function writeStep(tx: Writer, entryId: string, step: EntryStep): Promise<void> {
  await tx
    .update(entriesTable)
    .set({ result: null, ...step, updatedAt: new Date() })
    .where(eq(entriesTable.id, entryId));
}

/** For callers that do not hold the job. Leaves a finished entry as it is: a late event must not undo what came after. */
export async function writeFailure(tx: Writer, jobId: string, message: string): Promise<void> {
  await tx
    .update(entriesTable)
    .set({ status: "FAILED", result: `Error: ${message}`, updatedAt: new Date() })
    .where(and(eq(entriesTable.jobId, jobId), notInArray(entriesTable.status, finishedStatuses)));
}
