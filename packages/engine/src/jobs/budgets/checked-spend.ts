import { didYouMean } from "../values/nearest-name.ts";
import { isAmount, mostAmount } from "./amount.ts";
import type { Budget } from "./budget.ts";
import { InvalidSpendError } from "./invalid-spend-error.ts";

/** Refuses a wrong call of `spend` with a sentence. */
export function checkSpend(
  { pipeline, budgets }: { readonly pipeline: string; readonly budgets: readonly Budget[] },
  name: unknown,
  amount: unknown,
): void {
  const names = budgets.map((budget) => budget.name);
  if (typeof name !== "string" || !names.includes(name)) {
    throw new InvalidSpendError(
      `Pipeline "${pipeline}" has no budget ${JSON.stringify(String(name).slice(0, 120))}: add it to its budgets.${didYouMean(String(name), names)}`,
    );
  }
  if (!isAmount(amount)) {
    throw new InvalidSpendError(
      `What is spent of budget "${name}" must be a number from 0 to ${mostAmount}, not ${typeof amount === "number" ? amount : typeof amount}.`,
    );
  }
}
