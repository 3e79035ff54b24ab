import { brandError } from "@lockstep/database";
import { PermanentError } from "../outcomes/permanent-error.ts";

/** A wrong call of `spend`, or an estimate that is no amount: it would be refused in every attempt. */
export class InvalidSpendError extends PermanentError {
  static {
    brandError(InvalidSpendError, "InvalidSpendError");
  }

  override readonly name = "InvalidSpendError";
  readonly code = "invalid_spend";
}
