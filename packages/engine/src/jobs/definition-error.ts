/** A pipeline or one of its stages was described wrongly. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
}
