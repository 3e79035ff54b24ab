import { brandError } from "@lockstep/database";

/** The key was used before, for another request. Nothing was done. */
export class IdempotencyKeyReusedError extends Error {
  static {
    brandError(IdempotencyKeyReusedError, "IdempotencyKeyReusedError");
  }

  override readonly name = "IdempotencyKeyReusedError";

  constructor(key: string) {
    super(`The idempotency key "${key}" was used for another request: send a new request under a new key.`);
  }
}

/** A request under this key is being answered at this moment. Nothing was done by this one. */
export class IdempotencyKeyInUseError extends Error {
  static {
    brandError(IdempotencyKeyInUseError, "IdempotencyKeyInUseError");
  }

  override readonly name = "IdempotencyKeyInUseError";

  constructor(key: string) {
    super(
      `A request under the idempotency key "${key}" is still being answered: send this one again in a moment.`,
    );
  }
}
