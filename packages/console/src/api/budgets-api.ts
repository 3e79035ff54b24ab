import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, get } from "./api-client.ts";
import type { Budget, BudgetUsagePage } from "./contract.ts";
import { pageSize } from "./jobs-api.ts";

export const budgetKeys = { all: ["budgets"] } as const;

export const budgetsQuery = queryOptions({
  queryKey: budgetKeys.all,
  queryFn: async ({ signal }) => (await get<{ data: Budget[] }>("/budgets", {}, signal)).data,
});

export interface UsageAsked {
  readonly scope?: string | undefined;
  /** When the first period to be read began. */
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
}

/** What was spent of a budget, the newest period first. */
export function budgetUsageQuery(name: string, asked: UsageAsked) {
  const search = new URLSearchParams({ limit: String(pageSize) });
  // An empty scope is one: that of the jobs without an owner or a group.
  for (const [key, value] of Object.entries(asked)) if (value !== undefined) search.set(key, value);
  return queryOptions({
    queryKey: [...budgetKeys.all, name, search.toString()] as const,
    queryFn: ({ signal }) => get<BudgetUsagePage>(`${pathOf(name)}/usage?${search}`, {}, signal),
    placeholderData: keepPreviousData,
  });
}

export interface NewLimit {
  /** Null takes back what was set. */
  readonly limit: number | null;
  readonly scope?: string | undefined;
  readonly reason?: string | undefined;
}

export async function setBudgetLimit(name: string, body: NewLimit): Promise<{ changed: boolean }> {
  return (await call<{ changed: boolean }>(`${pathOf(name)}/limit`, { method: "PUT", body })).body;
}

function pathOf(name: string): string {
  return `/budgets/${encodeURIComponent(name)}`;
}
