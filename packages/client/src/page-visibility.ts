/** Whether the page that the client runs in is seen. */
export interface PageVisibility {
  readonly isHidden: boolean;
  /** Calls back at every change; returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

interface DocumentLike {
  readonly hidden: boolean;
  addEventListener(name: "visibilitychange", listener: () => void): void;
  removeEventListener(name: "visibilitychange", listener: () => void): void;
}

/** Null where there is no page, as in Node. */
export function pageVisibility(): PageVisibility | null {
  const { document } = globalThis as { document?: DocumentLike };
  if (document === undefined) return null;
  return {
    get isHidden() {
      return document.hidden;
    },
    onChange(listener) {
      document.addEventListener("visibilitychange", listener);
      return () => document.removeEventListener("visibilitychange", listener);
    },
  };
}
