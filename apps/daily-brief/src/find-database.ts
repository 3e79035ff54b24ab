import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The database that was named; else that of the `lockstep dev` which runs in this folder. */
export async function findDatabase(named: string | null, folder: string): Promise<string> {
  if (named !== null) return named;
  const record = await readFile(join(folder, ".lockstep", "dev.json"), "utf8").catch(() => "{}");
  const { databaseUrl } = JSON.parse(record) as { databaseUrl?: unknown };
  if (typeof databaseUrl === "string") return databaseUrl;
  throw new Error("Nothing says where the database of the daily brief is: set DATABASE_URL.");
}
