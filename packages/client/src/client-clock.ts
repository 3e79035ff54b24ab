/** Time as the client sees it. */
export interface ClientClock {
  now(): Date;
  /** Ends early when the signal aborts, and never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const clientClock: ClientClock = {
  now: () => new Date(),
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener("abort", end);
    });
  },
};
