import type { WatchedJob } from "@lockstep/client/internal";
import { useSyncExternalStore } from "react";
import { useLiveJobs } from "./lockstep-provider.ts";

const nothing: WatchedJob = { job: null, isLoading: false, error: null };
const loading: WatchedJob = { job: null, isLoading: true, error: null };
const noSubscription = () => () => undefined;

/** A job, kept up to date; null watches none. */
export function useJob(id: string | null): WatchedJob {
  const jobs = useLiveJobs();
  const watch = id === null ? null : jobs.job(id);
  return useSyncExternalStore(
    watch === null ? noSubscription : watch.subscribe,
    () => watch?.state ?? nothing,
    // Where there is no browser, nothing is read.
    () => (watch === null ? nothing : loading),
  );
}
