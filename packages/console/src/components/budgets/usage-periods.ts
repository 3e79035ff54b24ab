import type { BudgetUsage } from "../../api/contract.ts";

export const periodsShown = 30;

/** When the first of the periods that a chart shows began. */
export function firstPeriodMs(turnsAt: string, everyMs: number): number {
  return Date.parse(turnsAt) - periodsShown * everyMs;
}

/** What a scope has spent in each of these periods, the oldest first; a period without a row has seen nothing. */
export function usageByPeriod(rows: readonly BudgetUsage[], firstMs: number, everyMs: number) {
  const found = new Map(rows.map((row) => [Date.parse(row.periodBegan), row]));
  const times = Array.from({ length: periodsShown }, (_, index) => new Date(firstMs + index * everyMs));
  const of = (measure: "spent" | "reserved") =>
    times.map((time) => found.get(time.getTime())?.[measure] ?? 0);
  return { times, spent: of("spent"), reserved: of("reserved") };
}
