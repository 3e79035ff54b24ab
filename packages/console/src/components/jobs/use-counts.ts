import { useQuery } from "@tanstack/react-query";
import { countsQuery } from "../../api/jobs-api.ts";
import { statsQuery } from "../../api/pipelines-api.ts";
import { countsFromStats } from "./jobs-view.ts";

/** From the counters when the filter is one they know; else counted, up to a cap, now and then. */
export function useCounts(words: string) {
  const stats = useQuery(statsQuery).data;
  const fromStats = stats === undefined ? null : countsFromStats(stats, words);
  const counted = useQuery({
    ...countsQuery(words),
    enabled: stats !== undefined && fromStats === null,
    refetchInterval: 15_000,
  });
  return fromStats ?? counted.data ?? {};
}
