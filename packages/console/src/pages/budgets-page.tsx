import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { budgetsQuery } from "../api/budgets-api.ts";
import type { Budget } from "../api/contract.ts";
import { BudgetBar } from "../components/budgets/budget-bar.tsx";
import { scopeName } from "../components/budgets/scope-name.ts";
import { DataTable } from "../components/shared/data-table.tsx";
import { QueryPanel } from "../components/shared/query-panel.tsx";
import { RelativeTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { formatAmount, formatFull } from "../format/number.ts";
import { usePollMs } from "../live/live-status.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";

/** What jobs may spend, how much of it is in use, and how many jobs wait for it. */
export function BudgetsPage() {
  const pollMs = usePollMs();
  const query = useQuery({ ...budgetsQuery, refetchInterval: pollMs || 5_000 });
  return (
    <>
      <PageHeader title={text.budgets.title} />
      <QueryPanel query={query}>
        {(budgets) =>
          budgets.length === 0 ? (
            <EmptyState title={text.budgets.none}>{text.budgets.noneAdvice}</EmptyState>
          ) : (
            <DataTable
              label={text.budgets.title}
              rows={budgets}
              rowKey={({ name }) => name}
              columns={[
                {
                  name: text.budgets.name,
                  isHeader: true,
                  cell: ({ name, per }: Budget) => (
                    <>
                      <Link
                        to="/budgets/$name"
                        params={{ name }}
                        className="rounded font-medium text-primary hover:underline"
                      >
                        {name}
                      </Link>
                      <span className="block text-xs text-muted">{text.budgets.per[per]}</span>
                    </>
                  ),
                },
                {
                  name: text.budgets.nearest,
                  className: "w-[40%]",
                  cell: (budget) => <Fullest budget={budget} />,
                },
                {
                  name: text.budgets.allSpent,
                  isRight: true,
                  cell: ({ spent, unit }) => text.budgets.amount(formatAmount(spent), unit),
                },
                {
                  name: text.budgets.turns,
                  isRight: true,
                  cell: ({ turnsAt }) =>
                    turnsAt === null ? (
                      <span className="text-muted">{text.budgets.neverTurns}</span>
                    ) : (
                      <RelativeTime at={turnsAt} />
                    ),
                },
                {
                  name: text.budgets.waiting,
                  isRight: true,
                  cell: ({ waitingJobs }) => (
                    <span className={waitingJobs > 0 ? "font-medium" : "text-muted"}>
                      {formatFull(waitingJobs)}
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </QueryPanel>
    </>
  );
}

/** A limit holds for each scope, so that the one which comes nearest to it says how full the budget is. */
function Fullest({ budget }: { readonly budget: Budget }) {
  const { limit, unit, per } = budget;
  const first = budget.fullest[0] ?? { scope: "", limit, spent: 0, reserved: 0 };
  return (
    <>
      {per !== "total" && budget.fullest.length > 0 && (
        <span className="mb-1 block truncate text-xs" title={first.scope}>
          {scopeName(budget, first.scope)}
        </span>
      )}
      <BudgetBar inUse={first} unit={unit} />
    </>
  );
}
