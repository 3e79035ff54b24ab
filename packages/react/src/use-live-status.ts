import type { LiveStatus } from "@lockstep/client";
import { useCallback, useSyncExternalStore } from "react";
import { useLiveJobs } from "./lockstep-provider.ts";

/** How updates arrive: live, by polling, or not at the moment, and since when. */
export function useLiveStatus(): LiveStatus {
  const { events } = useLiveJobs();
  const subscribe = useCallback((listener: () => void) => events.onStatus(listener), [events]);
  const status = () => events.status;
  return useSyncExternalStore(subscribe, status, status);
}
