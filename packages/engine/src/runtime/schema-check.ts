import { codeSchemaVersion, SchemaTooNewError } from "@lockstep/database";
import { codeOf, SchemaMissingError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";

/** Refuses a database whose schema is older or newer than this code, with a sentence that says what to do. */
export async function checkSchema(store: Pick<JobStore, "schemaVersion">): Promise<void> {
  const asked = store.schemaVersion().catch((error) => {
    // No such schema, function or table: nothing of ours is there yet.
    if (["3F000", "42883", "42P01"].includes(codeOf(error))) return 0;
    throw error;
  });
  const [found, needed] = await Promise.all([asked, codeSchemaVersion()]);
  if (found < needed) throw new SchemaMissingError(found, needed);
  if (found > needed) throw new SchemaTooNewError(found, needed);
}
