import { brandError } from "@lockstep/database";
import type { FanOut } from "../adding/fan-out.ts";
import {
  type CompleteRetryPolicy,
  chosenDelayMs,
  defaultBackoff,
  validDelayMs,
} from "../pipelines/retry-policy.ts";
import type { JobError } from "../reading/job.ts";
import { jobErrorOf } from "./job-error.ts";
import { PermanentError } from "./permanent-error.ts";

export { PermanentError };

/** How one attempt ended. */
export type Outcome =
  | { readonly kind: "done"; readonly value: unknown }
  /** Its job is completed, whatever stages are left. */
  | { readonly kind: "finish"; readonly value: unknown }
  /** The stage's `when` said no: what the stage before returned passes through. */
  | { readonly kind: "skip"; readonly value: unknown }
  | {
      readonly kind: "retry";
      readonly error: JobError;
      /** Null leaves the wait to the stage's backoff. */
      readonly afterMs: number | null;
      readonly timedOut?: boolean;
    }
  | { readonly kind: "give_up"; readonly error: JobError }
  | { readonly kind: "snooze"; readonly forMs: number }
  | { readonly kind: "release" };

/** Thrown from a handler, it sets the wait before the next attempt, as a provider's 429 asks for. */
export class RetryAfter extends Error {
  static {
    brandError(RetryAfter, "RetryAfter");
  }

  override readonly name = "RetryAfter";
  readonly afterMs: number;

  constructor(message: string, options: { readonly afterMs: number; readonly cause?: unknown }) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.afterMs = options.afterMs;
  }
}

// The private names make these classes unlike any JSON value, for the compiler and at run time.
/** The answer of a handler that fails its job for good; `giveUp` makes it. */
class GiveUp {
  readonly #reason: unknown;
  constructor(reason: unknown) {
    this.#reason = reason;
  }
  static partsOf(answer: object): { reason: unknown } | null {
    return #reason in answer ? { reason: answer.#reason } : null;
  }
}

/** The answer of a handler that wants another attempt; `retryLater` makes it. */
class RetryLater {
  readonly #reason: string | Error;
  readonly #afterMs: number | null;
  constructor(reason: string | Error, afterMs: number | null) {
    this.#reason = reason;
    this.#afterMs = afterMs;
  }
  static partsOf(answer: object): { reason: string | Error; afterMs: number | null } | null {
    return #reason in answer ? { reason: answer.#reason, afterMs: answer.#afterMs } : null;
  }
}

/** The answer of a handler that waits without failing; `snooze` makes it. */
class Snooze {
  readonly #forMs: number;
  constructor(forMs: number) {
    this.#forMs = forMs;
  }
  static partsOf(answer: object): { forMs: number } | null {
    return #forMs in answer ? { forMs: answer.#forMs } : null;
  }
}

declare const resultOf: unique symbol;

/** The answer of a handler that completes its job early; `finish` makes it. */
class Finish<Result> {
  declare readonly [resultOf]?: () => Result;
  readonly #result: unknown;
  constructor(result: unknown) {
    this.#result = result;
  }
  static partsOf(answer: object): { result: unknown } | null {
    return #result in answer ? { result: answer.#result } : null;
  }
}

/** In place of an answer, where the stage's `when` said no. */
class Skip {
  readonly #passed: unknown;
  constructor(passed: unknown) {
    this.#passed = passed;
  }
  static partsOf(answer: object): { passed: unknown } | null {
    return #passed in answer ? { passed: answer.#passed } : null;
  }
}

// As types only: handlers name them, giveUp, retryLater, snooze and finish make them.
export type { Finish, GiveUp, RetryLater, Snooze };

/** What a handler may return instead of a value. */
export type HandlerAnswer = GiveUp | RetryLater | Snooze | Finish<unknown> | FanOut<unknown, unknown>;

/** Completes the job at once with this result, whatever stages are left. */
export function finish<Result = undefined>(result?: Result): Finish<Result> {
  return new Finish(result);
}

/** Fails the job at once, whatever attempts are left. */
export function giveUp(reason: string | Error): GiveUp {
  return new GiveUp(reason);
}

/** The same for whatever was thrown, with the error that is recorded. */
export function gaveUp(reason: unknown): { readonly answer: GiveUp; readonly error: JobError } {
  return { answer: new GiveUp(reason), error: givenUp(asError(reason, "GiveUp")).error };
}

/** Ends the attempt as failed; the next one begins after the given wait, or the stage's own. */
export function retryLater(
  how: string | Error | { readonly afterMs?: number; readonly reason?: string | Error } = {},
): RetryLater {
  if (typeof how === "string" || how instanceof Error) return new RetryLater(how, null);
  return new RetryLater(how.reason ?? "The handler asked to be retried later", validDelayMs(how.afterMs));
}

/** Puts the job back for later without spending an attempt. */
export function snooze(how: { readonly forMs: number }): Snooze {
  const forMs = validDelayMs(how.forMs);
  if (forMs === null) throw new RangeError("snooze needs forMs, a number of milliseconds from 0.");
  return new Snooze(forMs);
}

/** For the engine: the stage is skipped, and this passes through. */
export function skip(passed: unknown): Skip {
  return new Skip(passed);
}

/** What a handler's returned value means. */
export function outcomeOfAnswer(
  answer: unknown,
  policy: CompleteRetryPolicy = defaultBackoff,
  attempt = 1,
): Outcome {
  return (
    (isObject(answer) && outcomeOfHandlerAnswer(answer, policy, attempt)) || { kind: "done", value: answer }
  );
}

/** What a handler's thrown value means, whatever it is; never throws itself. */
export function outcomeOfThrown(thrown: unknown, policy: CompleteRetryPolicy, attempt: number): Outcome {
  // `throw giveUp(…)` is an easy slip for `return giveUp(…)`, and its meaning is clear.
  const answered = isObject(thrown) && outcomeOfHandlerAnswer(thrown, policy, attempt);
  if (answered) return answered;
  if (isA(thrown, PermanentError)) return givenUp(thrown);
  const error = jobErrorOf(thrown);
  const askedMs = isA(thrown, RetryAfter) ? validDelayMs(thrown.afterMs) : null;
  return { kind: "retry", error, afterMs: askedMs ?? chosenDelayMs(policy, attempt, thrown) };
}

function outcomeOfHandlerAnswer(
  answer: object,
  policy: CompleteRetryPolicy,
  attempt: number,
): Outcome | null {
  const given = GiveUp.partsOf(answer);
  if (given) return givenUp(asError(given.reason, "GiveUp"));
  const retried = RetryLater.partsOf(answer);
  if (retried) {
    const error = asError(retried.reason, "RetryLater");
    const afterMs = retried.afterMs ?? chosenDelayMs(policy, attempt, error);
    return { kind: "retry", error: jobErrorOf(error), afterMs };
  }
  const finished = Finish.partsOf(answer);
  if (finished) return { kind: "finish", value: finished.result };
  const skipped = Skip.partsOf(answer);
  if (skipped) return { kind: "skip", value: skipped.passed };
  const snoozed = Snooze.partsOf(answer);
  return snoozed && { kind: "snooze", forMs: snoozed.forMs };
}

function givenUp(error: unknown): Extract<Outcome, { kind: "give_up" }> {
  return { kind: "give_up", error: { ...jobErrorOf(error), permanent: true } };
}

// The stack would only lead to this file, so a reason given as text has none.
function asError(reason: unknown, name: string): unknown {
  return typeof reason === "string" ? { name, message: reason } : reason;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

// `instanceof` asks a Proxy for its prototype, and a hostile one throws.
function isA<T>(value: unknown, type: new (...args: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}
