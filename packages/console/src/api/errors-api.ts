import { queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { ErrorKind } from "./contract.ts";

export const errorsQuery = queryOptions({
  queryKey: ["errors"],
  queryFn: async ({ signal }) => (await get<{ data: ErrorKind[] }>("/errors", {}, signal)).data,
  refetchInterval: 15_000,
});
