import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";

/** No wait is longer than this, whoever asked for it. */
export const longestDelayMs = 5 * 365 * 24 * 60 * 60 * 1_000;

/** How the wait grows from failure to failure. PostgreSQL computes it, so that SQL clients get it too. */
export interface Backoff {
  readonly kind: "exponential" | "linear" | "constant";
  readonly baseMs: number;
  readonly capMs: number;
  /** How much of the wait chance may take away, from 0 to 1. */
  readonly jitter: number;
}

/** The wait in milliseconds before the next attempt, chosen by the error that was thrown. */
export type RetryFunction = (failure: { attempt: number; error: unknown }) => number;

/** As a stage's options give it: what a backoff leaves out is taken from the default. */
export type RetryPolicy = Partial<Backoff> | RetryFunction;

/** The policy of a stage, with every default filled in. */
export type CompleteRetryPolicy = Backoff | RetryFunction;

export const defaultBackoff: Backoff = {
  kind: "exponential",
  baseMs: 120_000,
  capMs: 3_600_000,
  jitter: 0.5,
};

const kinds: readonly string[] = ["exponential", "linear", "constant"];

/** Checks a policy and fills in what it leaves out; `where` names the stage in the refusal. */
export function completeRetryPolicy(policy: RetryPolicy | undefined, where: string): CompleteRetryPolicy {
  if (policy === undefined) return defaultBackoff;
  if (typeof policy === "function") return policy;
  if (typeof policy !== "object" || policy === null) {
    throw new DefinitionError(
      `retry of ${where} must be a function or an object such as { kind: "exponential", baseMs: 120000 }.`,
    );
  }
  for (const key of Object.keys(policy)) {
    if (Object.hasOwn(defaultBackoff, key)) continue;
    const nearest = didYouMean(key, Object.keys(defaultBackoff));
    throw new DefinitionError(`Unknown option "${key}" in retry of ${where}.${nearest}`);
  }
  const { kind, baseMs, jitter } = { ...defaultBackoff, ...withoutUndefined(policy) };
  const capMs = policy.capMs === undefined ? Math.max(defaultBackoff.capMs, baseMs) : policy.capMs;
  if (!kinds.includes(kind)) {
    throw new DefinitionError(`retry.kind of ${where} must be "exponential", "linear" or "constant".`);
  }
  checkDelay("baseMs", baseMs, where);
  checkDelay("capMs", capMs, where);
  if (capMs < baseMs) {
    throw new DefinitionError(
      `retry.capMs of ${where} (${capMs}) must not be smaller than baseMs (${baseMs}).`,
    );
  }
  if (typeof jitter !== "number" || !(jitter >= 0 && jitter <= 1)) {
    throw new DefinitionError(`retry.jitter of ${where} must be a number from 0 to 1.`);
  }
  return { kind, baseMs, capMs, jitter };
}

/** What PostgreSQL stores: for a function the default policy, for failures that the function does not see. */
export function backoffOf(policy: CompleteRetryPolicy): Backoff {
  return typeof policy === "function" ? defaultBackoff : policy;
}

/** The wait a function asks for; null leaves it to the backoff, and so does a function that answers nonsense. */
export function chosenDelayMs(policy: CompleteRetryPolicy, attempt: number, error: unknown): number | null {
  if (typeof policy !== "function") return null;
  try {
    const answer: unknown = policy({ attempt, error });
    // An async function is a mistake, but its rejection must not end the process.
    if (answer instanceof Promise) answer.catch(() => {});
    return validDelayMs(answer);
  } catch {
    return null;
  }
}

/** A wait that PostgreSQL accepts: whole milliseconds up to the longest delay, or null if it is not a usable wait. */
export function validDelayMs(delayMs: unknown): number | null {
  if (typeof delayMs !== "number" || !Number.isFinite(delayMs) || delayMs < 0) return null;
  return Math.min(Math.round(delayMs), longestDelayMs);
}

function withoutUndefined<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Values>;
}

function checkDelay(key: string, delayMs: unknown, where: string): void {
  if (Number.isInteger(delayMs) && validDelayMs(delayMs) === delayMs) return;
  throw new DefinitionError(
    `retry.${key} of ${where} must be a whole number of milliseconds from 0 to ${longestDelayMs} (5 years).`,
  );
}
