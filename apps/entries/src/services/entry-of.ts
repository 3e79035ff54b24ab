import type { entriesTable } from "../database/entries-table.ts";
import type { Entry } from "../entry.ts";

/** A row as the API gives it: without what is only ours. */
export function entryOf(row: typeof entriesTable.$inferSelect): Entry {
  const { jobId: _, createdAt, updatedAt, ...rest } = row;
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
