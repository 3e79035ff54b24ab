/** Why an address was not read. */
export type FetchErrorKind =
  | "url"
  | "port"
  | "address"
  | "name"
  | "redirects"
  | "type"
  | "size"
  | "encoding"
  | "headers"
  | "certificate"
  | "timeout"
  | "network";

/** Final ones come out the same however often they are tried. */
export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly kind: FetchErrorKind;
  readonly isFinal: boolean;

  constructor(kind: FetchErrorKind, message: string, options: { isFinal?: boolean; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.kind = kind;
    this.isFinal = options.isFinal ?? true;
  }
}
