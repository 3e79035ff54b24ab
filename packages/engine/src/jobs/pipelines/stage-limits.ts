import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import { longestDelayMs } from "./retry-policy.ts";

/** So many jobs may start in any span of this length. */
export interface Rate {
  readonly jobs: number;
  readonly perMs: number;
}

/** When too many attempts fail, the stage rests, spends nothing, and tries again with one job. */
export interface Breaker {
  /** It opens when at least this share of the attempts, 0 to 1, has failed; default 0.5. */
  readonly failureRate?: number | undefined;
  /** How far back attempts count; default one minute. */
  readonly windowMs?: number | undefined;
  /** With fewer attempts than this in the window it stays closed; default 10. */
  readonly minAttempts?: number | undefined;
  /** How long it stays open before one job is let through; default 30 seconds. */
  readonly pauseMs?: number | undefined;
  /** Whether each group has one of its own; default "stage". */
  readonly per?: "stage" | "group" | undefined;
}

/** Limits that hold over the whole fleet, enforced by the claim in PostgreSQL. */
export interface StageLimits {
  /** How many jobs of this stage run at a time, over all workers. */
  readonly concurrency?: number | undefined;
  /** The same for the jobs of one `groupKey`. */
  readonly groupConcurrency?: number | undefined;
  readonly rate?: Rate | undefined;
  /** The same for the jobs of one `groupKey`. */
  readonly groupRate?: Rate | undefined;
  readonly breaker?: Breaker | undefined;
}

type Checked<Value> = { readonly [Key in keyof Value]: Value[Key] };

const most = 1_000_000;
const breakerChecks: Record<keyof Breaker, (value: unknown) => string | null> = {
  failureRate: (value) =>
    typeof value === "number" && value > 0 && value <= 1 ? null : "must be a number above 0 and up to 1",
  windowMs: (value) => wholeNumber(value, longestDelayMs),
  minAttempts: (value) => wholeNumber(value, most),
  pauseMs: (value) => wholeNumber(value, longestDelayMs),
  per: (value) => (value === "stage" || value === "group" ? null : 'must be "stage" or "group"'),
};
const rateChecks: Record<keyof Rate, (value: unknown) => string | null> = {
  jobs: (value) => wholeNumber(value, most),
  perMs: (value) => wholeNumber(value, longestDelayMs),
};

/** Checks a stage's limits; only those that are given come back. */
export function checkedLimits(limits: StageLimits, where: string): Checked<StageLimits> {
  const checked: Record<string, unknown> = {};
  for (const key of ["concurrency", "groupConcurrency"] as const) {
    if (limits[key] === undefined) continue;
    refuse(wholeNumber(limits[key], most), key, where);
    checked[key] = limits[key];
  }
  for (const key of ["rate", "groupRate"] as const) {
    if (limits[key] === undefined) continue;
    checked[key] = checkedParts(limits[key], rateChecks, ["jobs", "perMs"], key, where);
  }
  if (limits.breaker !== undefined) {
    const breaker = checkedParts(limits.breaker, breakerChecks, [], "breaker", where);
    Object.assign(checked, { breaker });
  }
  return checked;
}

export function hasLimits(limits: StageLimits): boolean {
  return Object.keys(limits).length > 0;
}

function checkedParts(
  given: unknown,
  checks: Record<string, (value: unknown) => string | null>,
  needed: readonly string[],
  key: string,
  where: string,
): Record<string, unknown> {
  if (typeof given !== "object" || given === null) {
    throw new DefinitionError(`${key} of ${where} must be an object with ${Object.keys(checks).join(", ")}.`);
  }
  const parts = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [name, value] of parts) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      const nearest = didYouMean(name, Object.keys(checks));
      throw new DefinitionError(`Unknown option "${name}" in ${key} of ${where}.${nearest}`);
    }
    refuse(check(value), `${key}.${name}`, where);
  }
  for (const name of needed) {
    if (!parts.some(([given]) => given === name)) {
      throw new DefinitionError(`${key} of ${where} needs ${needed.join(" and ")}.`);
    }
  }
  return Object.fromEntries(parts);
}

function refuse(complaint: string | null, key: string, where: string): void {
  if (complaint !== null) throw new DefinitionError(`${key} of ${where} ${complaint}.`);
}

function wholeNumber(value: unknown, max: number): string | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= max
    ? null
    : `must be a whole number from 1 to ${max}`;
}
