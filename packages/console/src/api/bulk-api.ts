import { queryOptions } from "@tanstack/react-query";
import type { Count } from "../components/jobs/count-label.tsx";
import { get, post } from "./api-client.ts";
import type { BulkAction } from "./contract.ts";

export interface BulkStart {
  readonly action: "cancel" | "retry";
  readonly filter?: string;
  readonly ids?: readonly string[];
}

/** How many jobs it would be about. */
export async function previewBulk(start: BulkStart): Promise<Count> {
  return (await post<{ matched: Count }>("/bulk-actions", { ...start, dryRun: true })).matched;
}

export function startBulk(start: BulkStart): Promise<BulkAction> {
  return post("/bulk-actions", start);
}

export function abortBulk(id: string): Promise<unknown> {
  return post(`/bulk-actions/${id}/abort`);
}

export const bulkActionsQuery = queryOptions({
  queryKey: ["bulk"],
  queryFn: async ({ signal }) =>
    (await get<{ data: BulkAction[] }>("/bulk-actions", { limit: 50 }, signal)).data,
});

export function bulkActionQuery(id: string) {
  return queryOptions({
    queryKey: ["bulk", id],
    queryFn: ({ signal }) => get<BulkAction>(`/bulk-actions/${id}`, {}, signal),
  });
}
