import { queryOptions } from "@tanstack/react-query";
import { get, post } from "./api-client.ts";
import type { Schedule } from "./contract.ts";

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) => (await get<{ data: Schedule[] }>("/schedules", { limit: 200 }, signal)).data,
});

export function pauseSchedule(name: string): Promise<unknown> {
  return post(`/schedules/${encodeURIComponent(name)}/pause`);
}

export function resumeSchedule(name: string): Promise<unknown> {
  return post(`/schedules/${encodeURIComponent(name)}/resume`);
}
