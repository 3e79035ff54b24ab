import type { RefusalCode } from "../reading-errors.ts";

/** Thrown where a document is parsed; the worker makes a permanent error of it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
