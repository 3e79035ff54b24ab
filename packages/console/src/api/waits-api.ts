import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get, post } from "./api-client.ts";
import type { WaitingJob } from "./contract.ts";
import { jobKeys, pageSize } from "./jobs-api.ts";

export interface WaitingJobs {
  readonly data: readonly WaitingJob[];
  readonly page: { readonly next: string | null };
}

/** The jobs that wait for a signal, those that time out first at the top. */
export function waitingJobsQuery(cursor: string | undefined) {
  return queryOptions({
    queryKey: [...jobKeys.all, "waiting", cursor ?? null] as const,
    queryFn: ({ signal }) => get<WaitingJobs>("/waits", { cursor, limit: pageSize }, signal),
    placeholderData: keepPreviousData,
  });
}

/**
 * How many there are. Jobs that have come to a wait, but still wait for their children, are not among them: the counters of the
 * stages, which cost nothing, count both. So it is asked only when they count any.
 */
export function waitingCountQuery(scheduled: number) {
  return queryOptions({
    queryKey: [...jobKeys.all, "waiting count", scheduled] as const,
    queryFn: async ({ signal }) => {
      const { count } = await get<{ count: { value: number } }>("/waits", { limit: 1, count: true }, signal);
      return count.value;
    },
    enabled: scheduled > 0,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

export function signalJob(
  id: string,
  name: string,
  value: unknown,
  version?: string | null,
): Promise<{ answer: "signalled" | "kept" }> {
  return post(`/jobs/${id}/signals/${encodeURIComponent(name)}`, { value }, version);
}
