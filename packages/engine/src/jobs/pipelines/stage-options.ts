import type { Budget } from "../budgets/budget.ts";
import { checkedSpends, type Spends } from "../budgets/spends.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import {
  type CompleteRetryPolicy,
  completeRetryPolicy,
  longestDelayMs,
  type RetryPolicy,
} from "./retry-policy.ts";
import { checkedLimits, type StageLimits } from "./stage-limits.ts";

/** How a stage is run, tried again and limited. */
export interface StageOptions extends StageLimits {
  /** How many jobs of this stage one worker runs at a time; default 10. */
  readonly processors?: number | undefined;
  /** Failed attempts after which the job is failed; default 3. */
  readonly maxAttempts?: number | undefined;
  /** Attempts ended by a dying worker after which the job is failed; default 3. */
  readonly maxLosses?: number | undefined;
  /** How long one attempt may take; default 5 minutes, null for no limit. */
  readonly timeoutMs?: number | null | undefined;
  readonly retry?: RetryPolicy | undefined;
}

export interface CompleteStageOptions {
  readonly processors: number;
  readonly maxAttempts: number;
  readonly maxLosses: number;
  readonly timeoutMs: number | null;
  readonly retry: CompleteRetryPolicy;
  readonly limits: StageLimits;
  /** Null: nothing. */
  readonly spends: Spends | null;
}

const optionNames = [
  ...["processors", "maxAttempts", "maxLosses", "timeoutMs", "retry"],
  ...["concurrency", "groupConcurrency", "rate", "groupRate", "breaker", "spends"],
];

/** Checks a stage's options and fills in the defaults; `where` names the stage in the refusal. */
export function completeStageOptions(
  options: StageOptions & { readonly spends?: unknown },
  where: string,
  budgets: readonly Budget[] = [],
): CompleteStageOptions {
  if (typeof options !== "object" || options === null) {
    throw new DefinitionError(`The options of ${where} must be an object such as { processors: 10 }.`);
  }
  for (const key of Object.keys(options)) {
    if (optionNames.includes(key)) continue;
    throw new DefinitionError(`Unknown option "${key}" of ${where}.${didYouMean(key, optionNames)}`);
  }
  const timeoutMs = options.timeoutMs === undefined ? 300_000 : options.timeoutMs;
  if (timeoutMs !== null && !isWholeNumber(timeoutMs, 1, longestDelayMs)) {
    throw new DefinitionError(
      `timeoutMs of ${where} must be a whole number of milliseconds from 1 to ${longestDelayMs} (5 years), or null for no limit.`,
    );
  }
  return {
    processors: wholeNumber("processors", options.processors, 10, 10_000, where),
    maxAttempts: wholeNumber("maxAttempts", options.maxAttempts, 3, 100, where),
    maxLosses: wholeNumber("maxLosses", options.maxLosses, 3, 100, where),
    timeoutMs,
    retry: completeRetryPolicy(options.retry, where),
    limits: checkedLimits(options, where),
    spends: checkedSpends(options.spends, budgets, where),
  };
}

function wholeNumber(
  key: string,
  value: number | undefined,
  fallback: number,
  max: number,
  where: string,
): number {
  if (value === undefined) return fallback;
  if (isWholeNumber(value, 1, max)) return value;
  throw new DefinitionError(`${key} of ${where} must be a whole number from 1 to ${max}.`);
}

function isWholeNumber(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}
