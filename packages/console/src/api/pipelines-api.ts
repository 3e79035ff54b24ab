import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./api-client.ts";
import type { HistoryStep, Pipeline, Stats } from "./contract.ts";

export const pipelinesQuery = queryOptions({
  queryKey: ["pipelines"],
  queryFn: async ({ signal }) => (await get<{ data: Pipeline[] }>("/pipelines", {}, signal)).data,
  staleTime: 30_000,
});

/** Without those that are branches: of the same answer. These are shown with the pipeline that has them. */
export const wholePipelinesQuery = queryOptions({
  ...pipelinesQuery,
  select: (pipelines) => pipelines.filter(({ branchOf }) => branchOf === null),
});

const wholeStats = queryOptions({
  queryKey: ["stats"],
  queryFn: ({ signal }) => get<Stats>("/stats", {}, signal),
});

/** How many jobs stand where. */
export const statsQuery = queryOptions({ ...wholeStats, select: ({ data }) => data });

/** Since when the longest waiting job of each stage waits: of the same answer. */
export const waitsQuery = queryOptions({ ...wholeStats, select: ({ waits }) => waits });

/** The ranges one can look back over, and how finely each is drawn. */
export const ranges = {
  "1h": { spanMs: 3_600_000, stepMs: 60_000 },
  "6h": { spanMs: 21_600_000, stepMs: 300_000 },
  "24h": { spanMs: 86_400_000, stepMs: 1_200_000 },
  "7d": { spanMs: 604_800_000, stepMs: 7_200_000 },
} as const;

export type Range = keyof typeof ranges;

/** As a history is asked for. */
export function lookBack(range: Range): {
  readonly from: string;
  readonly to: string;
  readonly stepMs: number;
} {
  const { spanMs, stepMs } = ranges[range];
  const to = new Date();
  return { from: new Date(to.getTime() - spanMs).toISOString(), to: to.toISOString(), stepMs };
}

export function historyQuery(pipeline: string, range: Range) {
  return queryOptions({
    queryKey: ["history", pipeline, range],
    queryFn: async ({ signal }) => {
      return (
        await get<{ data: HistoryStep[] }>(
          `/pipelines/${encodeURIComponent(pipeline)}/history`,
          lookBack(range),
          signal,
        )
      ).data;
    },
    staleTime: 8_000,
    refetchInterval: 10_000,
  });
}

export function pauseStage(pipeline: string, stage: string): Promise<unknown> {
  return post(`/stages/${encodeURIComponent(pipeline)}/${encodeURIComponent(stage)}/pause`);
}

export function resumeStage(pipeline: string, stage: string): Promise<unknown> {
  return post(`/stages/${encodeURIComponent(pipeline)}/${encodeURIComponent(stage)}/resume`);
}
