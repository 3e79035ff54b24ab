import { brandError } from "@lockstep/database";
import { PermanentError } from "./permanent-error.ts";

/** A wrong call of `once`: it would fail in every attempt. */
export class InvalidEffectError extends PermanentError {
  static {
    brandError(InvalidEffectError, "InvalidEffectError");
  }

  override readonly name = "InvalidEffectError";
  readonly code = "invalid_effect";
}

/** An effect in doubt whose policy is `fail`: a person must find out whether it happened. */
export class EffectInDoubtError extends PermanentError {
  static {
    brandError(EffectInDoubtError, "EffectInDoubtError");
  }

  override readonly name = "EffectInDoubtError";
  readonly code = "effect_in_doubt";
  readonly key: string;
  readonly idempotencyKey: string;

  constructor(jobId: string, key: string, idempotencyKey: string) {
    super(
      `It is not known whether effect "${key}" of job ${jobId} happened: an attempt began it and never said how it ended. ` +
        `Look it up where it would show (idempotency key ${idempotencyKey}), tell the ledger with confirm_effect ` +
        "or forget_effects, and retry the job.",
    );
    this.key = key;
    this.idempotencyKey = idempotencyKey;
  }
}
