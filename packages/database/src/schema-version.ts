import { sqlFileNames } from "./sql-files.ts";

/** The schema is from a newer release than this code: going on could undo what that release changed. */
export class SchemaTooNewError extends Error {
  constructor(found: number, known: number) {
    super(
      `The database has Lockstep schema version ${found}, but this code knows only up to ${known}. ` +
        "Update the lockstep packages of this process; nothing was changed.",
    );
    this.name = "SchemaTooNewError";
  }
}

/** The version this code brings: the number of its newest migration. */
export async function codeSchemaVersion(): Promise<number> {
  return Math.max(...(await sqlFileNames("migrations")).map(migrationVersion));
}

export function migrationVersion(name: string): number {
  return Number.parseInt(name.slice(0, 4), 10);
}
