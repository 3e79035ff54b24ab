import { useSyncExternalStore } from "react";
import type { TimeZoneChoice } from "../format/time.ts";

export interface Settings {
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  readonly timeZone: TimeZoneChoice;
  readonly times: "relative" | "absolute";
  readonly isLive: boolean;
  readonly hasShortcuts: boolean;
}

const place = "lockstep-settings";

const defaults: Settings = {
  theme: "system",
  density: "comfortable",
  timeZone: "local",
  times: "relative",
  isLive: true,
  hasShortcuts: true,
};

const listeners = new Set<() => void>();
let current = read();

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, settings, settings);
}

export function settings(): Settings {
  return current;
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(place, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still shows what was chosen until it is closed.
  }
  apply();
  for (const listener of listeners) listener();
}

/** Themes follow the system and other tabs while the console is open. */
export function watchSettings(): void {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  addEventListener("storage", ({ key }) => {
    if (key !== place) return;
    current = read();
    apply();
    for (const listener of listeners) listener();
  });
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isDark(): boolean {
  const { theme } = current;
  return theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
}

function apply(): void {
  const { dataset } = document.documentElement;
  dataset.theme = isDark() ? "dark" : "light";
  dataset.density = current.density;
}

function read(): Settings {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "{}");
    return { ...defaults, ...(typeof kept === "object" ? kept : {}) };
  } catch {
    return defaults;
  }
}
