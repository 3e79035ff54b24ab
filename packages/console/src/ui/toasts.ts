import { announce } from "../live/announcements.ts";

export interface Toast {
  readonly id: number;
  readonly kind: "done" | "failed" | "note";
  readonly message: string;
  readonly detail?: string | undefined;
  readonly at: Date;
  readonly action?: { readonly label: string; readonly to: string } | undefined;
}

const shownForMs = 6_000;
const keptUnderTheBell = 30;

let shown: readonly Toast[] = [];
let past: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

/** Reports how something went. With an action it stays until it is dismissed; the bell keeps all of them. */
export function toast(message: Omit<Toast, "id" | "at">): void {
  const made: Toast = { ...message, id: nextId++, at: new Date() };
  // A failure is an alert by itself.
  if (made.kind !== "failed") announce([made.message, made.detail].filter(Boolean).join(". "));
  shown = [...shown.slice(-3), made];
  past = [made, ...past].slice(0, keptUnderTheBell);
  tell();
  if (made.action === undefined && made.kind !== "failed") setTimeout(() => dismiss(made.id), shownForMs);
}

export function dismiss(id: number): void {
  shown = shown.filter((each) => each.id !== id);
  tell();
}

export const toasts = {
  shown: () => shown,
  past: () => past,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function tell(): void {
  for (const listener of listeners) listener();
}
