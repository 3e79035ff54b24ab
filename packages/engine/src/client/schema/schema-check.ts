import { codeSchemaVersion, oldestUsableSchema, refuseTooNew } from "@lockstep/database";
import { SchemaMissingError } from "../../store/connections/database-error.ts";
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
  schema: Pick<SchemaStore, "name" | "versions">,
  code: KnownSchemas = ours,
): Promise<number> {
  const found = await schema.versions().catch((error) => {
    if (error instanceof SchemaMissingError) return noSchema;
    throw error;
  });
  if (found.version < code.oldestUsable)
    throw new SchemaMissingError(schema.name, found.version, code.version);
  refuseTooNew(found, code.version);
  return found.version;
}
