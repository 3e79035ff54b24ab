import { useSyncExternalStore } from "react";

export interface NewJobStart {
  readonly pipeline?: string;
  readonly payload?: unknown;
  /** What of a job's payload is hidden and so not in this one: JSON pointers. */
  readonly leftOut?: readonly string[];
}

let open: NewJobStart | null = null;
const listeners = new Set<() => void>();

/** The dialog for a new job may be opened from anywhere; the shell shows it. */
export function openNewJob(start: NewJobStart | null): void {
  open = start;
  for (const listener of listeners) listener();
}

export function useNewJobLayer(): NewJobStart | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
    () => open,
  );
}
