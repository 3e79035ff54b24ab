import type { Budget } from "../../api/contract.ts";
import { text } from "../../text/text.ts";

/** What a scope is called: jobs without an owner or a group share one without a name. */
export function scopeName({ per }: Pick<Budget, "per">, scope: string): string {
  return scope === "" ? text.budgets.noScope[per] : scope;
}
