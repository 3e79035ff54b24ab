import { readFile } from "node:fs/promises";
import { openEntriesDatabase } from "./entries-database.ts";

/** Makes the tables of the application. Two that start at once wait for each other. */
export async function migrateEntries(databaseUrl: string): Promise<void> {
  const file = new URL("../../migrations/0001_entries.sql", import.meta.url);
  const statements = await readFile(file, "utf8");
  const db = openEntriesDatabase({ databaseUrl, connections: 1 });
  try {
    await db.transaction((tx) => tx.execute(statements));
  } finally {
    await db.$client.end();
  }
}
