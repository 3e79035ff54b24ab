import { brandError } from "@lockstep/database";
import { didYouMean } from "../values/nearest-name.ts";

/**
 * What became of a signal: the job goes on (`signalled`), or will when it comes to the wait (`kept`); or nothing has changed, and why.
 */
export type SignalAnswer =
  | "signalled"
  | "kept"
  | "already_signalled"
  | "timed_out"
  | "already_finished"
  | "not_found"
  | "no_such_wait"
  | "not_allowed"
  | "changed";

/** The answer to a signal by key, and the job that has the key; null if there is none. */
export interface SignalledByKey {
  readonly answer: SignalAnswer;
  readonly jobId: string | null;
}

/** What can be said of a signal beside its value. */
export interface SignalOptions {
  /** Who sends it: recorded, and kept with the job. A wait with `notBy` needs it. */
  readonly by?: string | undefined;
  /** Only as the job was at that version; otherwise "changed". */
  readonly ifVersion?: string | undefined;
}

/** A signal that cannot be sent as it was given. Nothing was done. */
export class SignalError extends Error {
  static {
    brandError(SignalError, "SignalError");
  }

  override readonly name = "SignalError";
}

/** Refuses an unknown option, or a value that cannot be used, with a sentence. */
export function checkSignalOptions(options: SignalOptions, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new SignalError('The options of a signal must be an object such as { by: "ada" }.');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) {
      throw new SignalError(`Unknown option "${name}" of a signal.${didYouMean(name, names)}`);
    }
    if (name === "tx" || value === undefined) continue;
    if (typeof value !== "string" || value === "" || value.length > 255 || value.includes("\0")) {
      throw new SignalError(`${name} of a signal must be a text of 1 to 255 characters.`);
    }
  }
}
