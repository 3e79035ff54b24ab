import { useCallback, useSyncExternalStore } from "react";
import type { LiveStatus } from "../client/live-status.ts";
import { useLiveJobs } from "./lockstep-provider.ts";

/** How the news come: live, by polling, or not at the moment, and since when. */
export function useLiveStatus(): LiveStatus {
  const { events } = useLiveJobs();
  const subscribe = useCallback((listener: () => void) => events.onStatus(listener), [events]);
  const status = () => events.status;
  return useSyncExternalStore(subscribe, status, status);
}
