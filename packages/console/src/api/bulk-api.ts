import { queryOptions } from "@tanstack/react-query";
import type { Count } from "../components/count-label.tsx";
import { get, post } from "./api-client.ts";

/** One action over many jobs, with its progress. */
export interface BulkAction {
  readonly id: string;
  readonly action: "cancel" | "retry";
  readonly filter: Readonly<Record<string, unknown>>;
  readonly ids: number | null;
  readonly fromStage: string | null;
  readonly status: "running" | "done" | "aborted";
  readonly user: string;
  readonly matched: { readonly value: number; readonly exact: boolean };
  readonly done: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly failures: readonly { readonly jobId: string; readonly code: string; readonly message: string }[];
  readonly startedAt: string;
  readonly steppedAt: string;
  readonly finishedAt: string | null;
}

export interface BulkStart {
  readonly action: "cancel" | "retry";
  readonly filter?: string;
  readonly ids?: readonly string[];
}

/** How many jobs it would be about. */
export async function previewBulk(start: BulkStart): Promise<Count> {
  const answer = await post<{ count?: Count; matched?: Count }>("/bulk-actions", { ...start, dryRun: true });
  return answer.count ?? answer.matched ?? { value: 0, exact: true, capped: false };
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
