import { readFile } from "node:fs/promises";
import { entriesPool } from "./entries-pool.ts";

/** Makes the tables of the application. Two that start at once wait for each other. */
export async function migrateEntries(databaseUrl: string): Promise<void> {
  const file = new URL("../../migrations/0001_entries.sql", import.meta.url);
  const statements = await readFile(file, "utf8");
  const pool = entriesPool({ databaseUrl, connections: 1 });
  try {
    // Several statements in one message are one transaction.
    await pool.query(statements);
  } finally {
    await pool.end();
  }
}
