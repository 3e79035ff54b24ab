import { codeSchemaVersion, oldestUsableSchema, refuseTooNew } from "@lockstep/database";
import { codeOf, SchemaMissingError } from "../../store/connections/database-error.ts";
import { noSchema, type SchemaStore } from "../../store/reading/schema-store.ts";

/** What this code knows of schemas: the version it brings, and the oldest one that it works on. */
export interface KnownSchemas {
  readonly version: number;
  readonly oldestUsable: number;
}

const ours: KnownSchemas = { version: codeSchemaVersion, oldestUsable: oldestUsableSchema };

/**
 * Refuses a database that this code cannot work with, in a sentence that says what to do. A newer schema may be used unless one
 * of its migrations breaks this code, and an older one as far as this code goes back. Returns the version that was found.
 */
export async function checkSchema(
  schema: Pick<SchemaStore, "versions">,
  code: KnownSchemas = ours,
): Promise<number> {
  const found = await schema.versions().catch((error) => {
    // No such schema, function or table: nothing of ours is there yet.
    if (["3F000", "42883", "42P01"].includes(codeOf(error))) return noSchema;
    throw error;
  });
  if (found.version < code.oldestUsable) throw new SchemaMissingError(found.version, code.version);
  refuseTooNew(found, code.version);
  return found.version;
}
