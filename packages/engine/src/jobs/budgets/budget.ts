import { DefinitionError } from "../pipelines/definition-error.ts";
import { longestDelayMs } from "../pipelines/retry-policy.ts";
import { checkName } from "../pipelines/speakable-name.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { isAmount, mostAmount } from "./amount.ts";

/** Whose jobs share one limit: those of each owner, of each group, of each pipeline, or all. */
export type BudgetPer = "owner" | "group" | "pipeline" | "total";

/** What a budget allows. */
export interface BudgetOptions {
  /** Each of these has the limit for itself. Jobs without an owner or a group share one. */
  readonly per: BudgetPer;
  /** How much may be spent in a period. `engine.setBudgetLimit` changes it while jobs run. */
  readonly limit: number;
  /** The length of a period; periods are counted from 1970 in UTC, so that a day begins at midnight. Without it, the period never ends. */
  readonly everyMs?: number | null | undefined;
  /** What is counted, for people, such as "tokens" or "USD". */
  readonly unit?: string | undefined;
}

/** How much jobs may spend, of whatever is counted. Pipelines list it, and their stages spend of it. */
export interface Budget {
  readonly name: string;
  readonly per: BudgetPer;
  readonly limit: number;
  readonly everyMs: number | null;
  readonly unit: string | null;
}

const kinds: readonly unknown[] = ["owner", "group", "pipeline", "total"] satisfies BudgetPer[];
const optionNames = ["per", "limit", "everyMs", "unit"];

/** Defines a budget, for the `budgets` of one pipeline or several. */
export function budget(name: string, options: BudgetOptions): Budget {
  checkName("budget", name);
  if (typeof options !== "object" || options === null) {
    throw new DefinitionError(
      `The options of budget "${name}" must be an object such as { per: "owner", limit: 100000, everyMs: 86400000 }.`,
    );
  }
  for (const key of Object.keys(options)) {
    if (optionNames.includes(key)) continue;
    throw new DefinitionError(`Unknown option "${key}" of budget "${name}".${didYouMean(key, optionNames)}`);
  }
  const { per, limit, everyMs = null, unit = null } = options;
  if (!kinds.includes(per)) {
    throw new DefinitionError(`per of budget "${name}" must be "owner", "group", "pipeline" or "total".`);
  }
  if (!isAmount(limit)) {
    throw new DefinitionError(`The limit of budget "${name}" must be a number from 0 to ${mostAmount}.`);
  }
  if (everyMs !== null && !(Number.isInteger(everyMs) && everyMs >= 1 && everyMs <= longestDelayMs)) {
    throw new DefinitionError(
      `everyMs of budget "${name}" must be a whole number of milliseconds from 1 to ${longestDelayMs} (5 years), or null for a period that never ends.`,
    );
  }
  if (unit !== null && !(typeof unit === "string" && unit.length >= 1 && unit.length <= 40)) {
    throw new DefinitionError(`The unit of budget "${name}" must be a text of 1 to 40 characters.`);
  }
  return Object.freeze({ name, per, limit, everyMs, unit });
}

export function isBudget(given: unknown): given is Budget {
  return (
    typeof given === "object" && given !== null && kinds.includes((given as Budget).per) && "everyMs" in given
  );
}

export function isSameBudget(one: Budget, other: Budget): boolean {
  return (Object.keys(one) as (keyof Budget)[]).every((key) => one[key] === other[key]);
}
