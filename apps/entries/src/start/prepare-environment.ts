import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@lockstep/app-kit/environment";
import { givenOrOwnPostgres } from "@lockstep/app-kit/processes";
import { migrate } from "lockstep";
import { migrateEntries } from "../database/migrate-entries.ts";

const folder = fileURLToPath(new URL("../../.lockstep", import.meta.url));

export interface Prepared {
  readonly env: Environment;
  /** Stops the database if it was started here. */
  stopDatabase(): Promise<void>;
}

/** A database with all tables, and what else a process needs that the environment does not say. */
export async function prepareEnvironment(): Promise<Prepared> {
  // biome-ignore lint/style/noProcessEnv: completed here and handed on to the process that reads it.
  const given = process.env;
  const postgres = await givenOrOwnPostgres(given.DATABASE_URL || null, join(folder, "postgres"));
  const { databaseUrl } = postgres;
  await migrate({ databaseUrl });
  await migrateEntries(databaseUrl);
  const env = {
    ...given,
    DATABASE_URL: databaseUrl,
    // Only for the database of this folder: processes that share another need a secret that is theirs.
    ENTRIES_TOKEN_SECRET: given.ENTRIES_TOKEN_SECRET ?? (postgres.isOwn ? keptSecret() : undefined),
    // Next would end the process at once; src/working-in-server.ts gives running stages their time.
    NEXT_MANUAL_SIG_HANDLE: "true",
  };
  return { env, stopDatabase: () => postgres.stop() };
}

function keptSecret(): string {
  const file = join(folder, "token-secret");
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}
