import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DevRecord } from "../session/find-database.ts";

/** Tells other commands in this folder where the database is. Only its owner may read it, since the URL contains a password. */
export async function writeDevRecord(folder: string, record: DevRecord): Promise<void> {
  const place = join(folder, ".lockstep");
  await mkdir(place, { recursive: true });
  // Nothing in it belongs in a repository.
  await writeFile(join(place, ".gitignore"), "*\n");
  await rm(join(place, "dev.json"), { force: true });
  await writeFile(join(place, "dev.json"), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

export async function removeDevRecord(folder: string): Promise<void> {
  await rm(join(folder, ".lockstep", "dev.json"), { force: true });
}
