/** Why a value cannot become JSON, and where in it, as a JSON pointer. */
export class JsonRefusal extends Error {
  readonly pointer: string;
  readonly isTooLarge: boolean;

  constructor(pointer: string, reason: string, options: { isTooLarge?: boolean; cause?: unknown } = {}) {
    super(reason, "cause" in options ? { cause: options.cause } : undefined);
    this.pointer = pointer;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

/** The JSON pointer (RFC 6901) of a part. */
export function pointerTo(pointer: string, key: PropertyKey): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
