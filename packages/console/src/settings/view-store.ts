import { useSyncExternalStore } from "react";
import { basePath } from "../api/base-path.ts";
import { parseViews, type SavedView } from "./saved-views.ts";

// Consoles of several queues may be mounted on one host: each has views of its own.
const place = `lockstep-views:${basePath}`;

const listeners = new Set<() => void>();
let kept: string | null = null;
let views: readonly SavedView[] = [];

export function useSavedViews(): readonly SavedView[] {
  return useSyncExternalStore(subscribe, savedViews, savedViews);
}

/** Read each time: another tab may have changed them while nobody listened here. */
function savedViews(): readonly SavedView[] {
  const found = read();
  if (found !== kept) {
    kept = found;
    views = parseViews(found);
  }
  return views;
}

/** Whether the browser keeps them: its storage may be off or full. */
export function keepViews(changed: readonly SavedView[]): boolean {
  try {
    localStorage.setItem(place, JSON.stringify(changed));
  } catch {
    return false;
  }
  for (const listener of listeners) listener();
  return true;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

function read(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}
