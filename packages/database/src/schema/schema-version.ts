import { brandError } from "../brand-error.ts";
import { MigrateError } from "../migrating/migrate-error.ts";

/** The version of this code: the number of its newest migration. */
export const codeSchemaVersion = 12;

/**
 * The oldest schema on which this code still works, so that it can be deployed before the migrate. What came later is
 * missing there, and whoever needs it is refused until then.
 */
export const oldestUsableSchema = 12;

/** The schema is from a newer release that this code cannot work with. */
export class SchemaTooNewError extends MigrateError {
  static {
    brandError(SchemaTooNewError, "SchemaTooNewError");
  }

  override readonly name = "SchemaTooNewError";

  constructor(found: number, known: number, oldestCode: number) {
    super(
      `The database has Lockstep schema version ${found}, which code before version ${oldestCode} cannot use, and this code is of ` +
        `version ${known}. Update the Lockstep packages of this process. Nothing was changed.`,
    );
  }
}

/** Refuses a schema whose newest breaking migration this code does not know. */
export function refuseTooNew(
  { version, oldestCode }: { readonly version: number; readonly oldestCode: number },
  codeVersion: number = codeSchemaVersion,
): void {
  if (codeVersion < oldestCode) throw new SchemaTooNewError(version, codeVersion, oldestCode);
}

export function migrationVersion(name: string): number {
  return Number.parseInt(name.slice(0, 4), 10);
}

/** Why code from before a migration can no longer use the schema after it: what its text says after `-- breaking:`. */
export function breakingReason(migration: { readonly text: string }): string | null {
  return /^-- breaking: (.+)$/m.exec(migration.text)?.[1] ?? null;
}
