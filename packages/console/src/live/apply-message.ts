import type { QueryClient } from "@tanstack/react-query";
import {
  isFinished,
  type Job,
  type JobPage,
  type JobSummary,
  type Stats,
  type Worker,
} from "../api/contract.ts";
import { jobKeys } from "../api/jobs-api.ts";
import { statsQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import type { StreamMessage } from "./event-stream.ts";
import { newJobs } from "./new-jobs.ts";

/** A row as the stream tells it: what of a job changes, its progress plainly. */
export type LiveRow = Pick<JobSummary, "id" | "status" | "stage" | "attempt"> &
  Partial<Omit<JobSummary, "progress">> & {
    readonly progress: number | null;
    readonly progressNote?: string | null;
  };

// A worker that dies between two looks leaves the status, the stage and the attempt as they were.
const movesOf = ["status", "stage", "attempt", "claimedAt", "losses"] as const;

/** Puts what the stream tells where the pages look: rows change in their place, and no page asks again. */
export function applyMessage(client: QueryClient, { event, data }: StreamMessage): void {
  if (event === "stats") client.setQueryData(statsQuery.queryKey, data as Stats);
  else if (event === "workers") client.setQueryData(workersQuery.queryKey, listOf<Worker>(data));
  else if (event === "rows") applyRows(client, listOf<LiveRow>(data));
  else if (event === "list") newJobs.set((data as { newCount?: number } | null)?.newCount ?? 0);
  else if (event === "reset") void client.invalidateQueries();
  else if (event === "job") {
    const { jobId, id } = (data ?? {}) as { jobId?: string; id?: string };
    const moved = jobId ?? id;
    if (moved !== undefined) void client.invalidateQueries({ queryKey: jobKeys.job(moved) });
  }
}

export function applyRows(client: QueryClient, rows: readonly LiveRow[]): void {
  const byId = new Map(rows.map((row) => [row.id, told(row)]));
  client.setQueriesData<JobPage>({ queryKey: jobKeys.lists }, (page) => {
    if (page === undefined || !page.data.some(({ id }) => byId.has(id))) return page;
    return { ...page, data: page.data.map((job) => ({ ...job, ...byId.get(job.id) })) };
  });
  for (const row of rows) {
    const key = jobKeys.job(row.id);
    const job = client.getQueryData<Job>(key);
    if (job === undefined) continue;
    client.setQueryData(key, { ...job, ...byId.get(row.id) });
    // Its attempts, outputs and errors are not told: they are read when it has moved.
    const hasMoved = movesOf.some((name) => row[name] !== undefined && row[name] !== job[name]);
    if (hasMoved) void client.invalidateQueries({ queryKey: key });
    if (hasMoved && !isFinished(row.status))
      void client.invalidateQueries({ queryKey: jobKeys.explain(row.id) });
  }
}

/** In the shape of the lists. A payload is not told, and does not change. */
function told({ payloadPreview: _, progress, progressNote = null, ...row }: LiveRow) {
  return {
    ...row,
    progress: progress === null ? null : { percent: progress, note: progressNote, data: null },
  };
}

function listOf<Item>(data: unknown): Item[] {
  if (Array.isArray(data)) return data;
  const inside = (data as { data?: unknown } | null)?.data;
  return Array.isArray(inside) ? inside : [];
}
