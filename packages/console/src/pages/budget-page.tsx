import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { budgetsQuery } from "../api/budgets-api.ts";
import type { Budget } from "../api/contract.ts";
import { useMay } from "../api/me-api.ts";
import { LimitDialog } from "../components/budgets/limit-dialog.tsx";
import { ScopeTable } from "../components/budgets/scope-table.tsx";
import { UsageChart } from "../components/budgets/usage-chart.tsx";
import { AbsoluteTime } from "../components/shared/relative-time.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { WhenRead } from "../components/shared/when-read.tsx";
import { formatDuration } from "../format/duration.ts";
import { formatAmount, formatFull } from "../format/number.ts";
import { usePollMs } from "../live/live-status.ts";
import { Crumbs } from "../shell/crumbs.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";

interface Changing {
  readonly scope: string | null;
  readonly limit: number;
  readonly isSet: boolean;
}

/** One budget: its limit, who has spent what, and one of them over time. */
export function BudgetPage() {
  const { name } = useParams({ from: "/budgets/$name" });
  const { scope: chosen } = useSearch({ from: "/budgets/$name" });
  const pollMs = usePollMs() || 5_000;
  const query = useQuery({ ...budgetsQuery, refetchInterval: pollMs });
  const budget = query.data?.find((one) => one.name === name);
  const mayChange = useMay("budgets.change");
  const [changing, setChanging] = useState<Changing | null>(null);
  const scope = chosen ?? budget?.fullest[0]?.scope;
  return (
    <>
      <PageHeader
        tabTitle={name}
        title={
          <Crumbs to="/budgets" parent={text.budgets.title}>
            {name}
          </Crumbs>
        }
      >
        {mayChange && budget !== undefined && (
          <Button
            onClick={() =>
              setChanging({ scope: null, limit: budget.limit, isSet: budget.limit !== budget.definedLimit })
            }
          >
            {text.budgets.change}
          </Button>
        )}
      </PageHeader>
      <WhenRead
        queries={[query]}
        skeleton={
          <div className="panel">
            <SkeletonRows rows={2} />
          </div>
        }
      >
        {() =>
          budget === undefined ? (
            <div className="panel">
              <EmptyState title={text.budgets.gone}>{text.budgets.goneAdvice}</EmptyState>
            </div>
          ) : (
            <div className="space-y-4">
              <Facts budget={budget} />
              {budget.turnsAt !== null && budget.everyMs !== null && scope !== undefined && (
                <UsageChart
                  key={scope}
                  budget={budget}
                  turnsAt={budget.turnsAt}
                  everyMs={budget.everyMs}
                  scope={scope}
                />
              )}
              <ScopeTable
                budget={budget}
                pollMs={pollMs}
                onChange={
                  mayChange
                    ? (usage) =>
                        setChanging({ scope: usage.scope, limit: usage.limit, isSet: usage.isOwnLimit })
                    : null
                }
              />
            </div>
          )
        }
      </WhenRead>
      {changing !== null && budget !== undefined && (
        <LimitDialog budget={budget} {...changing} onClose={() => setChanging(null)} />
      )}
    </>
  );
}

function Facts({ budget }: { readonly budget: Budget }) {
  const { unit, limit, definedLimit, everyMs, turnsAt } = budget;
  const amount = (value: number) => text.budgets.amount(formatAmount(value), unit);
  const facts: [name: string, value: ReactNode][] = [
    [text.budgets.whose, text.budgets.per[budget.per]],
    [
      text.budgets.limit,
      limit === definedLimit
        ? amount(limit)
        : `${amount(limit)} (${text.budgets.inCode(amount(definedLimit))})`,
    ],
    [text.budgets.allSpent, amount(budget.spent)],
    [text.budgets.reserved, amount(budget.reserved)],
    [text.budgets.waiting, formatFull(budget.waitingJobs)],
    [text.budgets.period, everyMs === null ? text.budgets.neverTurns : formatDuration(everyMs)],
    ...(turnsAt === null
      ? []
      : [[text.budgets.turns, <AbsoluteTime key="turns" at={turnsAt} />] as [string, ReactNode]]),
    [
      text.budgets.pipelines,
      budget.pipelines.map((pipeline, index) => (
        <span key={pipeline}>
          {index > 0 && ", "}
          <Link to="/pipelines/$name" params={{ name: pipeline }} className="text-primary hover:underline">
            {pipeline}
          </Link>
        </span>
      )),
    ],
  ];
  return (
    <div className="panel px-4 py-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
