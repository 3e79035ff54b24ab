import { findDatabase } from "@lockstep/cli/find-database";
import { migrateEntries } from "./database/migrate-entries.ts";
import { openEntryStore } from "./database/open-entry-store.ts";
import { readEntriesConfig } from "./entries-config.ts";
import { processEntry } from "./process-entry.ts";
import type { EntryStageParts } from "./stages/entry-stage.ts";

let opened: Promise<EntryStageParts> | null = null;

/** For `lockstep work` and `lockstep dev`: they find it here. Its stages write to the entries of the same database. */
export const entryPipeline = processEntry(() => {
  opened ??= open();
  // Where it could not be opened, the next attempt of a stage tries again.
  opened.catch(() => {
    opened = null;
  });
  return opened;
});

async function open(): Promise<EntryStageParts> {
  // biome-ignore lint/style/noProcessEnv: completed here, and read in the one place that does.
  const env = process.env;
  const databaseUrl = await findDatabase({ databaseUrl: env.DATABASE_URL || null }, process.cwd());
  const config = readEntriesConfig({ ...env, DATABASE_URL: databaseUrl });
  await migrateEntries(config.databaseUrl);
  return { store: openEntryStore(config), stageWorkMs: config.stageWorkMs };
}
