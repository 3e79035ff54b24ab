import { useSyncExternalStore } from "react";

export type LiveKind = "connecting" | "live" | "reconnecting" | "polling" | "away" | "paused";

export interface LiveStatus {
  readonly kind: LiveKind;
  /** When anything was last heard, in this browser's time. */
  readonly heardAtMs: number;
  /** How often to ask where nothing is told; null while all is told. */
  readonly pollMs: number | null;
}

let current: LiveStatus = { kind: "connecting", heardAtMs: Date.now(), pollMs: null };
const listeners = new Set<() => void>();

export const liveStatus = {
  now: () => current,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  set(kind: LiveKind, pollMs: number | null = null): void {
    change({ ...current, kind, pollMs });
  },
  heard(): void {
    change({ kind: "live", heardAtMs: Date.now(), pollMs: null });
  },
  /** An answer to a question is as good a sign of life as a message. */
  answered(): void {
    change({ ...current, kind: current.kind === "away" ? "polling" : current.kind, heardAtMs: Date.now() });
  },
  /** Questions are not answered either: nobody is there to be polled. */
  unanswered(): void {
    if (current.kind === "polling") change({ ...current, kind: "away" });
  },
};

export function useLiveStatus(): LiveStatus {
  return useSyncExternalStore(liveStatus.subscribe, liveStatus.now, liveStatus.now);
}

/** For a query's refetchInterval: false while the stream tells, or while updates are paused. */
export function usePollMs(isPaused = false): number | false {
  const { pollMs } = useLiveStatus();
  return isPaused || pollMs === null ? false : pollMs;
}

function change(next: LiveStatus): void {
  // The time of the last message alone changes nothing that is drawn at once.
  const isSame = next.kind === current.kind && next.pollMs === current.pollMs;
  current = next;
  if (isSame) return;
  for (const listener of listeners) listener();
}
