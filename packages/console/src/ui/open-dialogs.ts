import { useSyncExternalStore } from "react";

let open: readonly HTMLElement[] = [];
const listeners = new Set<() => void>();

/** Tells that a modal dialog is open until what this returns is called. */
export function noteDialog(dialog: HTMLElement): () => void {
  change([...open, dialog]);
  return () => change(open.filter((each) => each !== dialog));
}

/** The dialog before all else, if one is open: what lies outside it is covered by it and cannot be pressed. */
export function useTopDialog(): HTMLElement | null {
  return useSyncExternalStore(subscribe, top, top);
}

function top(): HTMLElement | null {
  return open.at(-1) ?? null;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly HTMLElement[]): void {
  open = next;
  for (const listener of listeners) listener();
}
