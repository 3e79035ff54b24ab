import { sumOf } from "../../jobs/budgets/amount.ts";
import type { Budget } from "../../jobs/budgets/budget.ts";
import { checkSpend } from "../../jobs/budgets/checked-spend.ts";
import type { BudgetKeeper, SpendingRun } from "./budget-keeper.ts";

/** What it needs of the attempt whose spends these are. */
export interface SpendsRun extends SpendingRun {
  readonly pipeline: string;
  readonly budgets: readonly Budget[];
}

/** What one attempt says that it has spent, outside its effects. */
export class AttemptSpends {
  readonly #run: SpendsRun;
  readonly #keeper: Pick<BudgetKeeper, "spend">;
  readonly #totals = new Map<string, number>();
  readonly #underWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  constructor(run: SpendsRun, keeper: Pick<BudgetKeeper, "spend">) {
    this.#run = run;
    this.#keeper = keeper;
  }

  /** Throws at once what is known at once, so that a handler that does not wait hears of it too. */
  spend(budget: string, amount: number): Promise<void> {
    checkSpend(this.#run, budget, amount);
    const total = sumOf(this.#totals.get(budget) ?? 0, amount);
    this.#totals.set(budget, total);
    const spending = this.#keeper.spend(this.#run, budget, total);
    this.#underWay.add(spending);
    spending
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#underWay.delete(spending));
    return spending;
  }

  /** Until all is counted. Rejects with what was refused. */
  async flush(): Promise<void> {
    await Promise.all(this.#underWay);
    if (this.#failure !== null) throw this.#failure.error;
  }
}
