import { brandError } from "@lockstep/database";
import { didYouMean } from "../values/nearest-name.ts";

/** From where on a stream is read, and for whom. */
export interface ReadStreamOptions {
  /** The cursor of the last entry that was read; without it, or with "start", from the first chunk on. */
  readonly after?: string | undefined;
  /** Only if the job is this owner's. */
  readonly owner?: string | undefined;
  /** Only if this token, made by `ownerToken` or `jobToken`, opens the job; and only until it is over. */
  readonly token?: string | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** An option of `readStream` that cannot be used. */
export class ReadStreamOptionError extends Error {
  static {
    brandError(ReadStreamOptionError, "ReadStreamOptionError");
  }

  override readonly name = "ReadStreamOptionError";
}

const text = (value: unknown) =>
  typeof value === "string" && value !== "" ? null : "must be a text that is not empty";

const checks: Record<keyof ReadStreamOptions, (value: unknown) => string | null> = {
  after: (value) =>
    typeof value === "string" && cursorPattern.test(value)
      ? null
      : 'must be the cursor of an entry that was read, or "start"',
  owner: text,
  token: text,
  signal: (value) => (value instanceof AbortSignal ? null : "must be an AbortSignal"),
};

export const cursorPattern = /^(start|\d{1,18}\.\d{1,10})$/;

/** Refuses an unknown option, or a value that cannot be used, with a sentence. */
export function checkReadStreamOptions(options: ReadStreamOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new ReadStreamOptionError(
      'The options of readStream must be an object such as { after: "start" }.',
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) {
      throw new ReadStreamOptionError(
        `Unknown option "${name}" of readStream.${didYouMean(name, Object.keys(checks))}`,
      );
    }
    const complaint = value === undefined ? null : checks[name as keyof ReadStreamOptions](value);
    if (complaint !== null) throw new ReadStreamOptionError(`${name} ${complaint}.`);
  }
  if (options.owner !== undefined && options.token !== undefined) {
    throw new ReadStreamOptionError(
      "Give readStream an owner or a token, not both: a token says whose jobs it opens.",
    );
  }
}
