import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let skewMs = 0;
let now = new Date();

/** The time by the server's clock, once a second, from one timer however many places show it. */
export function useNow(): Date {
  return useSyncExternalStore(subscribe, read, read);
}

export function serverNow(): Date {
  return new Date(Date.now() + skewMs);
}

/** What an answer's Date header says. It counts whole seconds, so small differences mean nothing. */
export function noteServerTime(header: string | null): void {
  const at = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(at)) return;
  const differenceMs = at - Date.now();
  skewMs = Math.abs(differenceMs) > 2_500 ? differenceMs : 0;
}

function read(): Date {
  return now;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = serverNow();
    for (const each of listeners) each();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
