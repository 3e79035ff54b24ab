import { element } from "@lockstep/app-kit/page/element";
import { analysisApi } from "./analysis-api.ts";

const amount = (value: number) => value.toLocaleString("en-GB", { maximumFractionDigits: 4 });

/** What the visitor's answers have cost today, of what they may. Nothing where they cost nothing. */
export class BudgetLine {
  readonly element = element("p", { class: "quiet", "data-part": "budget" });

  async update(): Promise<void> {
    const budgets = await analysisApi.budgets();
    this.element.hidden = budgets.length === 0;
    const parts = budgets.map(({ unit, spent, limit }) => `${amount(spent)} of ${amount(limit)} ${unit}`);
    this.element.textContent = `Used today: ${parts.join(", ")}.`;
  }
}
