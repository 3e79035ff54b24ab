import type { Entry, EntryStatus } from "../entry.ts";
import type { EntryRow, EntryStep } from "./entry-store.ts";

/** A row of the table as both clients give it. */
export interface StoredEntry {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly progress: number;
  readonly result: string | null;
  readonly jobId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export function entryRowOf(row: StoredEntry): EntryRow {
  return {
    ...row,
    // The table checks it.
    status: row.status as EntryStatus,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** As the API gives it. */
export function entryOf(row: StoredEntry): Entry {
  const { jobId: _, ...entry } = entryRowOf(row);
  return entry;
}

/** What a step writes to the row. */
export function changeTo(step: EntryStep) {
  return { result: null, ...step, updatedAt: new Date() };
}
