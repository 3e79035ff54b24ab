import type { BudgetInfo, Reader } from "lockstep";
import { unknownName } from "./unknown-name.ts";

/** The budget of this name; one that does not exist is refused with exit code 4 and the nearest name. */
export async function knownBudget(reader: Pick<Reader, "budgets">, name: string): Promise<BudgetInfo> {
  const budgets = await reader.budgets();
  const found = budgets.find((budget) => budget.name === name);
  if (found !== undefined) return found;
  throw unknownName({
    kind: "budget",
    message: `There is no budget "${name}".`,
    name,
    names: budgets.map((budget) => budget.name),
    advice:
      budgets.length === 0
        ? "There are none yet: pipelines list them."
        : "Run `lockstep budgets` to list them.",
  });
}
