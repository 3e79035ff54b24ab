import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError, usageError } from "../errors/cli-error.ts";
import type { CliConfig } from "./cli-config.ts";

/** What `lockstep dev` leaves in its folder while it runs. */
export interface DevRecord {
  readonly url: string;
  readonly databaseUrl: string;
  /** The usual one unless it is there. */
  readonly schema?: string;
  readonly pid: number;
}

/** Where the database is: flag or environment, else that of a `lockstep dev` which runs in this folder. */
export async function findDatabase(config: Pick<CliConfig, "databaseUrl">, folder: string): Promise<string> {
  if (config.databaseUrl !== null) return config.databaseUrl;
  const record = await readDevRecord(folder);
  if (record !== null && isRunning(record.pid)) return record.databaseUrl;
  throw new CliError({
    exit: "unreachable",
    code: "database.unknown",
    message: "No database is configured.",
    why:
      record === null
        ? "There is no --database-url, no DATABASE_URL, and no `lockstep dev` in this folder."
        : "There is no --database-url and no DATABASE_URL, and the `lockstep dev` of this folder has ended.",
    advice: "Set DATABASE_URL=postgres://user:password@host:5432/database, or run `lockstep dev` here.",
  });
}

/** The name of the schema: flag or environment, else that of the `lockstep dev` whose database is used. */
export async function findSchema(
  config: Pick<CliConfig, "databaseUrl" | "schema">,
  folder: string,
): Promise<string> {
  const { defaultSchema, schemaNameComplaint } = await import("@lockstep/database");
  const record = config.databaseUrl === null ? await readDevRecord(folder) : null;
  const ofDev = record !== null && isRunning(record.pid) ? record.schema : undefined;
  const name = config.schema ?? ofDev ?? defaultSchema;
  const complaint = schemaNameComplaint(name);
  if (complaint !== null) throw usageError(`The name of the schema, "${name}", ${complaint}.`);
  return name;
}

/** Null when there is none, or none that can be read. */
export async function readDevRecord(folder: string): Promise<DevRecord | null> {
  try {
    const record: unknown = JSON.parse(await readFile(join(folder, ".lockstep", "dev.json"), "utf8"));
    return isDevRecord(record) ? record : null;
  } catch {
    return null;
  }
}

function isDevRecord(value: unknown): value is DevRecord {
  const { databaseUrl, pid } = (value ?? {}) as Partial<DevRecord>;
  return typeof databaseUrl === "string" && typeof pid === "number";
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as somebody else.
    return (error as { code?: string }).code === "EPERM";
  }
}
