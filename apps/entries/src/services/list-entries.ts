import { desc } from "drizzle-orm";
import type { EntriesDatabase } from "../database/entries-database.ts";
import { entriesTable } from "../database/entries-table.ts";
import type { EntryPage } from "../entry.ts";
import type { EntryPageRequest } from "../entry-page-request.ts";
import { entryOf } from "./entry-of.ts";

/** Newest first. */
export async function listEntries(
  db: EntriesDatabase,
  { limit, offset }: EntryPageRequest,
): Promise<EntryPage> {
  const [rows, total] = await Promise.all([
    db
      .select()
      .from(entriesTable)
      .orderBy(desc(entriesTable.createdAt), desc(entriesTable.id))
      .limit(limit)
      .offset(offset),
    db.$count(entriesTable),
  ]);
  return { entries: rows.map(entryOf), total, limit, offset };
}
