import type { Jsonify } from "../values/jsonify.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { InvalidEffectError } from "./effect-errors.ts";

/** What the function of an effect receives. */
export interface EffectCall {
  /** The same for every attempt of the job: pass it to a provider that supports such keys. */
  readonly idempotencyKey: string;
  /** An earlier attempt began this effect, and nobody knows whether it happened. */
  readonly mayHaveHappened: boolean;
  /** The attempt's own signal. */
  readonly signal: AbortSignal;
  /**
   * Says that the effect has spent so much of a budget. It is counted once, with the record that the effect has happened, and not again in a
   * later attempt that gets what it returned. If the effect fails, it is counted as well.
   */
  spend(budget: string, amount: number): void;
}

/** The call that `once` makes, such as one to a provider; what it returns is kept as JSON. */
export type EffectFunction<Value> = (effect: EffectCall) => Promise<Value> | Value;

/** What to do when an earlier attempt began the effect and never said how it ended. */
export type UnknownPolicy = "retry" | "skip" | "fail";

/** What `once` does about a call of which nobody knows whether it happened. */
export interface OnceOptions {
  /** `retry` (default) runs it again with the same idempotency key, `skip` answers null, `fail` fails the job. */
  readonly unknown?: UnknownPolicy | undefined;
}

/** Runs an effect at most once per job and key, as far as the ledger can know; later calls get what it returned. */
export interface Once {
  <Value>(
    key: string,
    run: EffectFunction<Value>,
    options: { readonly unknown: "skip" },
  ): Promise<Jsonify<Value> | null>;
  <Value>(
    key: string,
    run: EffectFunction<Value>,
    options?: { readonly unknown?: Exclude<UnknownPolicy, "skip"> | undefined },
  ): Promise<Jsonify<Value>>;
  <Value>(key: string, run: EffectFunction<Value>, options: OnceOptions): Promise<Jsonify<Value> | null>;
}

const policies: readonly string[] = ["retry", "skip", "fail"] satisfies UnknownPolicy[];

/** Refuses a wrong call of `once` with a sentence; returns its policy. */
export function checkedOnce(key: unknown, run: unknown, options: unknown): UnknownPolicy {
  if (typeof key !== "string" || key.includes("\0") || !key.isWellFormed()) {
    throw new InvalidEffectError('The key of an effect must be text without NUL characters, such as "ask".');
  }
  const bytes = Buffer.byteLength(key);
  if (bytes < 1 || bytes > 255) {
    throw new InvalidEffectError(`The key of an effect must have 1 to 255 bytes, not ${bytes}.`);
  }
  if (typeof run !== "function") {
    throw new InvalidEffectError(`Effect "${key}" must be a function that once can call.`);
  }
  if (options === undefined) return "retry";
  if (typeof options !== "object" || options === null) {
    throw new InvalidEffectError(
      `The options of effect "${key}" must be an object such as { unknown: "fail" }.`,
    );
  }
  for (const name of Object.keys(options)) {
    if (name === "unknown") continue;
    throw new InvalidEffectError(
      `Unknown option "${name}" of effect "${key}".${didYouMean(name, ["unknown"])}`,
    );
  }
  const { unknown = "retry" } = options as { unknown?: unknown };
  if (typeof unknown === "string" && policies.includes(unknown)) return unknown as UnknownPolicy;
  throw new InvalidEffectError(`unknown of effect "${key}" must be "retry", "skip" or "fail".`);
}
