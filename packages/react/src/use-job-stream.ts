import type { WatchedStream } from "@lockstep/client/internal";
import { useSyncExternalStore } from "react";
import { useLiveJobs } from "./lockstep-provider.ts";

const nothing: WatchedStream<never> = { chunks: [], text: "", isOver: false, isLoading: false, error: null };
const loading: WatchedStream<never> = { ...nothing, isLoading: true };
const noSubscription = () => () => undefined;

/** What a job writes to a stream, as it is written; null watches none. */
export function useJobStream<Chunk = unknown>(id: string | null, name: string): WatchedStream<Chunk> {
  const jobs = useLiveJobs();
  const watch = id === null ? null : jobs.stream(id, name);
  return useSyncExternalStore(
    watch === null ? noSubscription : watch.subscribe,
    // Its type is only a promise of the caller's.
    () => (watch?.state ?? nothing) as WatchedStream<Chunk>,
    // Where there is no browser, nothing is read.
    () => (watch === null ? nothing : loading),
  );
}
