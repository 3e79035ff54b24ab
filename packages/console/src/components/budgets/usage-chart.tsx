import { useQuery } from "@tanstack/react-query";
import { budgetUsageQuery } from "../../api/budgets-api.ts";
import type { Budget } from "../../api/contract.ts";
import { formatAmount, formatTick } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { SkeletonChart } from "../../ui/skeleton.tsx";
import { TimeSeries } from "../charts/time-series.tsx";
import { WhenRead } from "../shared/when-read.tsx";
import { scopeName } from "./scope-name.ts";
import { firstPeriodMs, periodsShown, usageByPeriod } from "./usage-periods.ts";

export interface UsageChartProps {
  readonly budget: Budget;
  readonly turnsAt: string;
  readonly everyMs: number;
  readonly scope: string;
}

/** What one scope has spent in the last periods. */
export function UsageChart({ budget, turnsAt, everyMs, scope }: UsageChartProps) {
  const firstMs = firstPeriodMs(turnsAt, everyMs);
  const asked = { scope, since: new Date(firstMs).toISOString() };
  const query = useQuery({ ...budgetUsageQuery(budget.name, asked), placeholderData: undefined });
  const name = scopeName(budget, scope);
  const title = text.budgets.overPeriods(name);
  if (query.data === undefined) {
    return (
      <Panel title={title}>
        <WhenRead queries={[query]} skeleton={<SkeletonChart />}>
          {() => null}
        </WhenRead>
      </Panel>
    );
  }
  const { times, spent, reserved } = usageByPeriod(query.data.data, firstMs, everyMs);
  const limit = query.data.data[0]?.limit ?? budget.limit;
  const total = spent.reduce((sum, value) => sum + value, 0);
  const amount = text.budgets.amount(formatAmount(total), budget.unit);
  return (
    <TimeSeries
      title={title}
      sentence={text.budgets.overPeriodsSentence(name, amount, periodsShown)}
      note={text.budgets.limitNote}
      times={times}
      format={formatTick}
      series={[
        { name: text.budgets.spent, kind: "bars", colour: "text-processing", values: spent },
        {
          name: text.budgets.reserved,
          kind: "bars",
          colour: "text-retrying",
          isHatched: true,
          values: reserved,
        },
        { name: text.budgets.limit, kind: "dashes", colour: "text-muted", values: times.map(() => limit) },
      ]}
    />
  );
}
