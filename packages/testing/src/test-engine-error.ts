import type { Reason } from "lockstep";

/** A job, or a drain, that cannot come to its end in the test as it stands. */
export class NeverEndsError extends Error {
  override readonly name = "NeverEndsError";
}

export function neverEnds(what: string, where: string, reasons: readonly Reason[]): NeverEndsError {
  const said = reasons.map(({ explanation }) => explanation).join(" ");
  return new NeverEndsError(
    `${what} can never end: ${where}, and nothing is due that would change it. ${said}`.trim(),
  );
}

export function tooManyAttempts(what: string, attemptLimit: number, last: string): NeverEndsError {
  return new NeverEndsError(
    `${what} did not come to its end within ${attemptLimit} attempts, the last in ${last}. A handler that snoozes or is retried without end does this; if so many are meant, raise attemptLimit.`,
  );
}
