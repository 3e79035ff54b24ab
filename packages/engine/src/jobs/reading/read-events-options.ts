import { brandError } from "@lockstep/database";
import { didYouMean } from "../values/nearest-name.ts";

/** Which entries of the realtime log are read, and from where on. */
export interface ReadEventsOptions {
  /** Only events of this owner's jobs. */
  readonly owner?: string | undefined;
  /** Only what this token, made by `ownerToken` or `jobToken`, opens; and only until it is over. */
  readonly token?: string | undefined;
  /** Only events of this pipeline's jobs. */
  readonly pipeline?: string | { readonly name: string } | undefined;
  /** Only events of this job. */
  readonly jobId?: string | undefined;
  /** The cursor of the last event that was read, or "start" for the oldest that is kept; without it, from now on. */
  readonly after?: string | undefined;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** An option of `readEvents` that cannot be used. */
export class ReadEventsOptionError extends Error {
  static {
    brandError(ReadEventsOptionError, "ReadEventsOptionError");
  }

  override readonly name = "ReadEventsOptionError";
}

const text = (value: unknown) =>
  typeof value === "string" && value !== "" ? null : "must be a text that is not empty";

const checks: Record<keyof ReadEventsOptions, (value: unknown) => string | null> = {
  owner: text,
  token: text,
  pipeline: (value) =>
    text(typeof value === "object" && value !== null && "name" in value ? value.name : value) === null
      ? null
      : "must be a pipeline or the name of one",
  jobId: text,
  after: text,
  signal: (value) => (value instanceof AbortSignal ? null : "must be an AbortSignal"),
};

/** Refuses an unknown option, or a value that cannot be used, with a sentence. */
export function checkReadEventsOptions(options: ReadEventsOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new ReadEventsOptionError(
      'The options of readEvents must be an object such as { after: "start" }.',
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) {
      throw new ReadEventsOptionError(
        `Unknown option "${name}" of readEvents.${didYouMean(name, Object.keys(checks))}`,
      );
    }
    const complaint = value === undefined ? null : checks[name as keyof ReadEventsOptions](value);
    if (complaint !== null) throw new ReadEventsOptionError(`${name} ${complaint}.`);
  }
  // It must be clear whose events are read.
  if (options.owner !== undefined && options.token !== undefined) {
    throw new ReadEventsOptionError(
      "Give readEvents an owner or a token, not both: a token says whose events it opens.",
    );
  }
}
