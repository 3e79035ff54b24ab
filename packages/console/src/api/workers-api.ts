import { queryOptions } from "@tanstack/react-query";
import { get } from "./api-client.ts";
import type { Worker } from "./contract.ts";

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: async ({ signal }) => (await get<{ data: Worker[] }>("/workers", {}, signal)).data,
});
