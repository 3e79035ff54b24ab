import { brandError } from "@lockstep/database";

/** What was given as `tx` is not an open transaction. Nothing has changed. */
export class TransactionError extends Error {
  static {
    brandError(TransactionError, "TransactionError");
  }

  override readonly name = "TransactionError";

  constructor(sentence: string, options?: { readonly cause?: unknown }) {
    super(`The tx cannot be used. ${sentence}`, options);
  }
}
