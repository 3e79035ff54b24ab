import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { ErrorHistory, ErrorKind } from "./contract.ts";
import { lookBack, type Range } from "./pipelines-api.ts";

export type ErrorSort = "-lastAt" | "-jobs";

export function errorsQuery(sort: ErrorSort = "-lastAt") {
  return queryOptions({
    queryKey: ["errors", { sort }],
    queryFn: async ({ signal }) => (await get<{ data: ErrorKind[] }>("/errors", { sort }, signal)).data,
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  });
}

/** One kind of them; null when no failed job has it any more. */
export function errorQuery(fingerprint: string) {
  return queryOptions({
    queryKey: ["errors", fingerprint],
    queryFn: async ({ signal }) => {
      // As many kinds as there can be: it may have been seen long ago.
      const kindOf = async (pipeline?: string) => {
        const { data } = await get<{ data: ErrorKind[] }>("/errors", { pipeline, limit: 1_000 }, signal);
        return data.find((kind) => kind.fingerprint === fingerprint) ?? null;
      };
      const kind = await kindOf();
      // Its chart is of its pipeline alone, for which there is more to look at: the number beside it is, too.
      return kind?.capped === true ? await kindOf(kind.pipeline) : kind;
    },
    refetchInterval: 15_000,
  });
}

/** The last day of every kind by the hour, by fingerprint. */
export const errorHistoriesQuery = queryOptions({
  queryKey: ["errors-history"],
  queryFn: async ({ signal }) => {
    const { data } = await get<{ data: ErrorHistory[] }>("/errors/history", {}, signal);
    return new Map(data.map(({ fingerprint, jobs }) => [fingerprint, jobs]));
  },
  refetchInterval: 15_000,
});

export function errorHistoryQuery({ pipeline, fingerprint }: ErrorKind, range: Range) {
  return queryOptions({
    queryKey: ["errors-history", fingerprint, range],
    queryFn: async ({ signal }) => {
      const query = { pipeline, fingerprint, ...lookBack(range) };
      const { data } = await get<{ data: ErrorHistory[] }>("/errors/history", query, signal);
      // Of a kind and its pipeline there is always one.
      return data[0] ?? { fingerprint, beginsAt: query.from, jobs: [] };
    },
    refetchInterval: 15_000,
  });
}
