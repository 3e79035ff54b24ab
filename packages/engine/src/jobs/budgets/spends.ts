import { DefinitionError } from "../pipelines/definition-error.ts";
import type { StageContext } from "../pipelines/stage-context.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { isAmount, mostAmount } from "./amount.ts";
import type { Budget } from "./budget.ts";
import { InvalidSpendError } from "./invalid-spend-error.ts";

/** What a stage is estimated by. */
export type EstimateContext<Payload = unknown, Output = unknown, Outputs = unknown> = Pick<
  StageContext<Payload, Output, Outputs>,
  "payload" | "output" | "outputs"
>;

/** What an attempt will spend: a number, or a function that says it for each job. */
export type Estimate<Payload = unknown, Output = unknown, Outputs = unknown> =
  | number
  | ((context: EstimateContext<Payload, Output, Outputs>) => number);

/** A stage with it spends of budgets that its pipeline lists. */
export interface SpendsOption<Payload, Output, Outputs> {
  /**
   * What an attempt will spend at most, by the names of budgets. It is reserved when the job is claimed, and given back when the attempt
   * ends, except for what the handler says it has spent.
   */
  readonly spends?: { readonly [budget: string]: Estimate<Payload, Output, Outputs> } | undefined;
}

/** As the engine uses it. */
export type Spends = Readonly<Record<string, Estimate<never, never, never>>>;

/** Checks what a stage spends; null when it spends nothing. */
export function checkedSpends(spends: unknown, budgets: readonly Budget[], where: string): Spends | null {
  if (spends === undefined) return null;
  if (typeof spends !== "object" || spends === null || Array.isArray(spends)) {
    throw new DefinitionError(`spends of ${where} must be an object such as { tokens: 2000 }.`);
  }
  const names = budgets.map(({ name }) => name);
  for (const [name, estimate] of Object.entries(spends)) {
    if (!names.includes(name)) {
      throw new DefinitionError(
        `spends of ${where} names budget "${name}", which is not in the budgets of the pipeline.${didYouMean(name, names)}`,
      );
    }
    if (typeof estimate === "function" || isAmount(estimate)) continue;
    throw new DefinitionError(
      `The estimate of budget "${name}" of ${where} must be a number from 0 to ${mostAmount}, or a function that returns one.`,
    );
  }
  return Object.keys(spends).length === 0 ? null : Object.freeze({ ...spends });
}

/** As the database is told of it: null where the code estimates. */
export function storedSpends(spends: Spends): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(spends).map(([name, estimate]) => [name, typeof estimate === "number" ? estimate : null]),
  );
}

/** What the functions among the estimates say of one job; null when there is none. */
export function estimatesOf(spends: Spends, context: EstimateContext): Record<string, number> | null {
  let amounts: Record<string, number> | null = null;
  for (const [name, estimate] of Object.entries(spends)) {
    if (typeof estimate !== "function") continue;
    amounts ??= {};
    amounts[name] = estimated(name, estimate as (context: EstimateContext) => unknown, context);
  }
  return amounts;
}

function estimated(
  name: string,
  estimate: (context: EstimateContext) => unknown,
  context: EstimateContext,
): number {
  let amount: unknown;
  try {
    amount = estimate(context);
  } catch (cause) {
    throw new Error(`The estimate of budget "${name}" has thrown an error.`, { cause });
  }
  if (isAmount(amount)) return amount;
  // An async function is a mistake, but its rejection must not end the process.
  if (amount instanceof Promise) amount.catch(() => {});
  throw new InvalidSpendError(
    `The estimate of budget "${name}" must be a number from 0 to ${mostAmount}, but is ${toldOf(amount)}.`,
  );
}

function toldOf(amount: unknown): string {
  return typeof amount === "number"
    ? String(amount)
    : amount instanceof Promise
      ? "a promise"
      : typeof amount;
}
