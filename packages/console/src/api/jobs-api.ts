import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Count } from "../components/jobs/count-label.tsx";
import { call, get, post } from "./api-client.ts";
import type { Branch, Job, JobPage, JobStatus } from "./contract.ts";

export interface JobsQuery {
  readonly filter: string;
  readonly cursor?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
}

export interface JobWithVersion extends Job {
  readonly etag: string | null;
}

export const jobKeys = {
  all: ["jobs"] as const,
  lists: ["jobs", "list"] as const,
  list: (query: JobsQuery) => ["jobs", "list", query] as const,
  counts: (filter: string) => ["jobs", "counts", filter] as const,
  job: (id: string) => ["jobs", "one", id] as const,
  explain: (id: string) => ["jobs", "explain", id] as const,
  branches: (id: string) => ["jobs", "branches", id] as const,
};

export const pageSize = 50;

export function jobsQuery(query: JobsQuery) {
  const { filter, cursor, sort, limit = pageSize } = query;
  return queryOptions({
    queryKey: jobKeys.list(query),
    queryFn: ({ signal }) => get<JobPage>("/jobs", { filter, cursor, sort, limit, count: 1 }, signal),
    placeholderData: keepPreviousData,
  });
}

export function countsQuery(filter: string) {
  return queryOptions({
    queryKey: jobKeys.counts(filter),
    queryFn: async ({ signal }) =>
      (await get<{ counts: Partial<Record<JobStatus, Count>> }>("/jobs/counts", { filter }, signal)).counts,
    placeholderData: keepPreviousData,
  });
}

export function jobQuery(id: string, isFull = false) {
  return queryOptions({
    queryKey: isFull ? ([...jobKeys.job(id), "full"] as const) : jobKeys.job(id),
    queryFn: async ({ signal }): Promise<JobWithVersion> => {
      const query = isFull ? { full: 1 } : {};
      const { body, etag } = await call<Job>(`/jobs/${id}`, { query, signal, isExact: true });
      return { ...body, etag };
    },
  });
}

export interface Reason {
  readonly reason: string;
  readonly explanation: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export function explainQuery(id: string) {
  return queryOptions({
    queryKey: jobKeys.explain(id),
    queryFn: async ({ signal }) => (await get<{ data: Reason[] }>(`/jobs/${id}/explain`, {}, signal)).data,
  });
}

export function branchesQuery(id: string) {
  return queryOptions({
    queryKey: jobKeys.branches(id),
    queryFn: async ({ signal }) => (await get<{ data: Branch[] }>(`/jobs/${id}/branches`, {}, signal)).data,
  });
}

export interface NewJob {
  readonly pipeline: string;
  readonly payload: unknown;
  readonly priority?: number | undefined;
  readonly scheduledFor?: string | undefined;
  readonly dedupKey?: string | undefined;
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface AddedJob {
  readonly id: string;
  readonly created: boolean;
  readonly status: JobStatus | null;
}

export function addJob(job: NewJob): Promise<AddedJob> {
  return post("/jobs", job);
}

export function cancelJob(id: string, version?: string | null): Promise<{ answer: string }> {
  return post(`/jobs/${id}/cancel`, {}, version);
}

export function retryJob(
  id: string,
  fromStage?: string,
  version?: string | null,
): Promise<{ answer: string }> {
  return post(`/jobs/${id}/retry`, fromStage === undefined ? {} : { fromStage }, version);
}

export function forkJob(
  id: string,
  fromStage: string,
  version?: string | null,
): Promise<{ id: string; forkedFrom: string }> {
  return post(`/jobs/${id}/fork`, { fromStage }, version);
}
