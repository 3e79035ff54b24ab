import { type ProblemCode, problemKinds } from "../contract/problem.ts";

export interface ProblemExtras {
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly job?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** A request is refused, with the sentence that the caller reads. Nothing has changed. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, extras.cause === undefined ? {} : { cause: extras.cause });
    this.code = code;
    this.extras = extras;
  }

  get status(): (typeof problemKinds)[ProblemCode]["status"] {
    return problemKinds[this.code].status;
  }
}
