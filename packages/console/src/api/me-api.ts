import { queryOptions, useQuery } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { Me } from "./contract.ts";

export type Right = Me["rights"][number];

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => get<Me>("/me", {}, signal),
  staleTime: 300_000,
});

/** Whether the person may do it. Until the answer is here they may not: no button appears and is taken away. */
export function useMay(right: Right): boolean {
  const { data } = useQuery(meQuery);
  return data?.rights.includes(right) ?? false;
}
