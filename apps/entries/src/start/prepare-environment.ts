import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@lockstep/local-postgres";
import { migrate } from "lockstep";
import { migrateEntries } from "../database/migrate-entries.ts";

const folder = fileURLToPath(new URL("../../.lockstep", import.meta.url));

export interface Prepared {
  readonly env: Record<string, string | undefined>;
  /** Stops the database if it was started here. */
  stopDatabase(): Promise<void>;
}

/** A database with all tables, and what else a process needs that the environment does not say. */
export async function prepareEnvironment(): Promise<Prepared> {
  // biome-ignore lint/style/noProcessEnv: completed here and handed on to the process that reads it.
  const given = process.env;
  const local = given.DATABASE_URL ? null : await startPostgres({ dataFolder: join(folder, "postgres") });
  const databaseUrl = given.DATABASE_URL || local?.url || "";
  await migrate({ databaseUrl });
  await migrateEntries(databaseUrl);
  const env = {
    ...given,
    DATABASE_URL: databaseUrl,
    // Only for the database of this folder: processes that share another need a secret that is theirs.
    ENTRIES_TOKEN_SECRET: given.ENTRIES_TOKEN_SECRET ?? (local === null ? undefined : keptSecret()),
    // Next would end the process at once; src/working-in-server.ts gives running stages their time.
    NEXT_MANUAL_SIG_HANDLE: "true",
  };
  return { env, stopDatabase: async () => await local?.stop() };
}

function keptSecret(): string {
  const file = join(folder, "token-secret");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}
