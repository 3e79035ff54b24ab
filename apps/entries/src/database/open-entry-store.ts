import type { DatabaseClient } from "./database-client.ts";
import { DrizzleEntryStore } from "./drizzle/drizzle-entry-store.ts";
import { type EntriesPoolOptions, entriesPool } from "./entries-pool.ts";
import type { EntryStore } from "./entry-store.ts";
import { PrismaEntryStore } from "./prisma/prisma-entry-store.ts";

export function openEntryStore(options: EntriesPoolOptions & { databaseClient: DatabaseClient }): EntryStore {
  const pool = entriesPool(options);
  return options.databaseClient === "prisma" ? new PrismaEntryStore(pool) : new DrizzleEntryStore(pool);
}
