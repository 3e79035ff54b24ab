import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { RecordedAction } from "./contract.ts";

export interface AuditPage {
  readonly data: readonly RecordedAction[];
  readonly page: { readonly next: string | null; readonly hasMore: boolean };
}

export function auditQuery(cursor: string | undefined) {
  return queryOptions({
    queryKey: ["audit", cursor ?? ""],
    queryFn: ({ signal }) => get<AuditPage>("/audit", { cursor, limit: 50 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? 10_000 : false,
  });
}
