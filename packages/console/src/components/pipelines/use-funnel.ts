import { useQuery } from "@tanstack/react-query";
import type { Pipeline } from "../../api/contract.ts";
import { historyQuery, type Range, ranges, statsQuery, waitsQuery } from "../../api/pipelines-api.ts";
import { workersQuery } from "../../api/workers-api.ts";
import { funnelOf } from "./funnel.ts";

/** Reads what the funnel of one pipeline shows; `stages` is complete once `queries` are read. */
export function useFunnel(pipeline: Pipeline, range: Range) {
  const stats = useQuery(statsQuery);
  const waits = useQuery(waitsQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const history = useQuery(historyQuery(pipeline.name, range));
  const stages = funnelOf({
    ...{ pipeline, waits, workers },
    stats: stats.data ?? [],
    history: history.data ?? [],
    spanMs: ranges[range].spanMs,
  });
  return { stages, history, queries: [stats, history] };
}
