import { queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { ErrorKind } from "./contract.ts";

export const errorsQuery = queryOptions({
  queryKey: ["errors"],
  queryFn: async ({ signal }) => (await get<{ data: ErrorKind[] }>("/errors", {}, signal)).data,
  refetchInterval: 15_000,
});

/** One kind of them; null when no failed job has it any more. */
export function errorQuery(fingerprint: string) {
  return queryOptions({
    queryKey: ["errors", fingerprint],
    queryFn: async ({ signal }) => {
      // As many kinds as there can be: it may have been seen long ago.
      const { data } = await get<{ data: ErrorKind[] }>("/errors", { limit: 1_000 }, signal);
      return data.find((kind) => kind.fingerprint === fingerprint) ?? null;
    },
    refetchInterval: 15_000,
  });
}
