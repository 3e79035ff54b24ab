import { brandError } from "@lockstep/database";

/** A pipeline or one of its stages was described wrongly. */
export class DefinitionError extends Error {
  static {
    brandError(DefinitionError, "DefinitionError");
  }

  override readonly name = "DefinitionError";
}
