import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { budgetUsageQuery } from "../../api/budgets-api.ts";
import type { Budget, BudgetUsage } from "../../api/contract.ts";
import { formatFull } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { DataTable } from "../shared/data-table.tsx";
import { WhenRead } from "../shared/when-read.tsx";
import { BudgetBar } from "./budget-bar.tsx";
import { scopeName } from "./scope-name.ts";

export interface ScopeTableProps {
  readonly budget: Budget;
  readonly pollMs: number;
  /** Null: this person may not. */
  readonly onChange: ((usage: BudgetUsage) => void) | null;
}

/** The scopes of the current period by name, or the one that was looked for. */
export function ScopeTable({ budget, pollMs, onChange }: ScopeTableProps) {
  const [cursor, setCursor] = useState<string | undefined>(undefined);
  const [typed, setTyped] = useState("");
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const { turnsAt, everyMs } = budget;
  const since =
    turnsAt === null || everyMs === null ? undefined : new Date(Date.parse(turnsAt) - everyMs).toISOString();
  const asked = { scope: wanted, since, cursor };
  const query = useQuery({ ...budgetUsageQuery(budget.name, asked), refetchInterval: pollMs });
  const find = (event: FormEvent) => {
    event.preventDefault();
    setCursor(undefined);
    setWanted(typed === "" ? undefined : typed);
  };
  return (
    <Panel
      title={text.budgets.inThisPeriod}
      isFlush
      aside={
        budget.per !== "total" && (
          <form className="flex flex-wrap items-center gap-2" onSubmit={find}>
            <input
              className="field w-52 max-w-full"
              aria-label={text.budgets.search}
              placeholder={text.budgets.search}
              maxLength={255}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button size="small" type="submit">
              {text.budgets.find}
            </Button>
            {wanted !== undefined && (
              <Button
                size="small"
                look="quiet"
                onClick={() => {
                  setTyped("");
                  setWanted(undefined);
                }}
              >
                {text.budgets.showAll}
              </Button>
            )}
          </form>
        )
      }
    >
      <WhenRead queries={[query]} skeleton={<SkeletonRows />}>
        {() => {
          const { data = [], page } = query.data ?? {};
          if (data.length === 0) {
            return (
              <p className="px-4 pb-4 break-words text-muted">
                {wanted === undefined ? text.budgets.nothingYet : text.budgets.notFound(wanted)}
              </p>
            );
          }
          return (
            <>
              <DataTable
                label={text.budgets.inThisPeriod}
                rows={data}
                rowKey={({ scope }) => scope}
                columns={[
                  {
                    name: text.budgets.scopeTitle[budget.per],
                    isHeader: true,
                    className: "max-w-72 break-words",
                    cell: ({ scope, isOwnLimit }: BudgetUsage) => (
                      <>
                        <Link
                          to="/budgets/$name"
                          params={{ name: budget.name }}
                          search={{ scope }}
                          className="rounded font-medium text-primary hover:underline"
                        >
                          {scopeName(budget, scope)}
                        </Link>
                        {isOwnLimit && (
                          <span className="ms-2 rounded bg-well px-1.5 py-0.5 text-xs text-muted">
                            {text.budgets.ownLimit}
                          </span>
                        )}
                      </>
                    ),
                  },
                  {
                    name: text.budgets.inUse,
                    className: "w-[45%]",
                    cell: (usage) => <BudgetBar inUse={usage} unit={budget.unit} />,
                  },
                  {
                    name: text.budgets.waiting,
                    isRight: true,
                    cell: ({ waiting }) => formatFull(waiting),
                  },
                  ...(onChange === null
                    ? []
                    : [
                        {
                          name: text.budgets.limit,
                          isRight: true,
                          cell: (usage: BudgetUsage) => (
                            <Button
                              size="small"
                              aria-label={text.budgets.changeOf(scopeName(budget, usage.scope))}
                              onClick={() => onChange(usage)}
                            >
                              {text.budgets.change}
                            </Button>
                          ),
                        },
                      ]),
                ]}
              />
              {(page?.next || cursor !== undefined) && (
                <div className="flex justify-end gap-2 border-t px-4 py-2">
                  {cursor !== undefined && (
                    <Button size="small" onClick={() => setCursor(undefined)}>
                      {text.waits.first}
                    </Button>
                  )}
                  {page?.next && (
                    <Button size="small" onClick={() => setCursor(page.next ?? undefined)}>
                      {text.waits.next}
                    </Button>
                  )}
                </div>
              )}
            </>
          );
        }}
      </WhenRead>
    </Panel>
  );
}
