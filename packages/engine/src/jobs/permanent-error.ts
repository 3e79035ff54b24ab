/** Thrown from a handler, or extended, it fails the job at once: another try would end the same way. */
export class PermanentError extends Error {
  override readonly name: string = "PermanentError";
}
