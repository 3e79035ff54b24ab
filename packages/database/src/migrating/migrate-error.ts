import { brandError } from "../brand-error.ts";

/** Why migrate did nothing, in a sentence that says what to do. PostgreSQL itself is fine, and nothing was changed. */
export class MigrateError extends Error {
  static {
    brandError(MigrateError, "MigrateError");
  }

  override readonly name: string = "MigrateError";
}

/** Before anything is connected. */
export const refusedConnection = (sentence: string): MigrateError => new MigrateError(sentence);
