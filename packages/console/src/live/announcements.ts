import { useSyncExternalStore } from "react";

const settleMs = 250;

let said = "";
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Tells those who do not see the page what has changed on it; what comes together is said together. */
export function announce(sentence: string): void {
  if (!waiting.includes(sentence)) waiting.push(sentence);
  clearTimeout(timer);
  timer = setTimeout(() => {
    said = waiting.join(" ");
    waiting = [];
    for (const listener of listeners) listener();
  }, settleMs);
}

export function useAnnouncement(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => said,
    () => said,
  );
}
