import type { PrometheusFamily, PrometheusMetric } from "../../events/prometheus-text.ts";
import type { BudgetLimits } from "../../store/steering/budget-limits.ts";

/** What the metrics say of budgets. Of its scopes each budget shows the ten fullest: owners may be many, and every series costs. */
export const budgetMetrics = {
  budgetLimit: gauge(
    "lockstep_budget_limit",
    ["budget"],
    "What each scope of the budget may spend in a period, unless it has a limit of its own.",
  ),
  budgetSpent: gauge(
    "lockstep_budget_spent",
    ["budget"],
    "What all scopes of the budget have spent in the current period.",
  ),
  budgetReserved: gauge(
    "lockstep_budget_reserved",
    ["budget"],
    "What running jobs may spend of the budget beyond that.",
  ),
  budgetWaiting: gauge(
    "lockstep_budget_waiting_jobs",
    ["budget"],
    "Jobs that wait until the budget has room, counted up to 10,000.",
  ),
  scopeLimit: gauge(
    "lockstep_budget_scope_limit",
    ["budget", "scope"],
    "What this scope may spend in a period; of the ten that are nearest to their limit or above it.",
  ),
  scopeSpent: gauge(
    "lockstep_budget_scope_spent",
    ["budget", "scope"],
    "What this scope has spent in the current period; of the same ten.",
  ),
  scopeReserved: gauge(
    "lockstep_budget_scope_reserved",
    ["budget", "scope"],
    "What running jobs of this scope may spend beyond that; of the same ten.",
  ),
} as const;

export type BudgetReads = Pick<BudgetLimits, "list" | "totals">;

export async function budgetFamilies(budgets: BudgetReads): Promise<PrometheusFamily[]> {
  const [infos, totals] = await Promise.all([budgets.list(), budgets.totals()]);
  const ofBudgets = <Row extends { readonly name: string }>(
    metric: PrometheusMetric,
    rows: readonly Row[],
    measure: (row: Row) => number,
  ): PrometheusFamily => ({
    metric,
    samples: rows.map((row) => ({ labels: { budget: row.name }, value: measure(row) })),
  });
  const ofScopes = (metric: PrometheusMetric, measure: "limit" | "spent" | "reserved"): PrometheusFamily => ({
    metric,
    samples: totals.flatMap(({ name, fullest }) =>
      fullest.map((full) => ({ labels: { budget: name, scope: full.scope }, value: full[measure] })),
    ),
  });
  return [
    ofBudgets(budgetMetrics.budgetLimit, infos, ({ limit }) => limit),
    ofBudgets(budgetMetrics.budgetSpent, totals, ({ spent }) => spent),
    ofBudgets(budgetMetrics.budgetReserved, totals, ({ reserved }) => reserved),
    ofBudgets(budgetMetrics.budgetWaiting, infos, ({ waitingJobs }) => waitingJobs),
    ofScopes(budgetMetrics.scopeLimit, "limit"),
    ofScopes(budgetMetrics.scopeSpent, "spent"),
    ofScopes(budgetMetrics.scopeReserved, "reserved"),
  ];
}

function gauge(name: string, labels: readonly string[], help: string): PrometheusMetric {
  return { name, type: "gauge", labels, help };
}
