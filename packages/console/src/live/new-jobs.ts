import { useSyncExternalStore } from "react";

let count = 0;
const listeners = new Set<() => void>();

/** How many jobs have come since the list was read; counted up to 100. */
export const newJobs = {
  now: () => count,
  set(next: number): void {
    if (next === count) return;
    count = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function useNewJobs(): number {
  return useSyncExternalStore(newJobs.subscribe, newJobs.now, newJobs.now);
}
