import { brandError } from "@lockstep/database";

/** Thrown from a handler, or extended, it fails the job at once: another attempt would end the same way. */
export class PermanentError extends Error {
  static {
    brandError(PermanentError, "PermanentError");
  }

  override readonly name: string = "PermanentError";
}
