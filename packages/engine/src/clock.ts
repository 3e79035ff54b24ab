/** Time as the moving parts see it. Who holds a job is never judged by it: that is PostgreSQL's clock. */
export interface Clock {
  /** The wall clock, for display only. */
  now(): Date;
  /** For measuring spans; comparable between the threads of one process. */
  monotonicMs(): number;
  /** Ends early when the signal aborts, and never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// A timer asked for more than this fires at once.
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  // `performance.now()` counts from the start of each thread; this counts from one point for all of them.
  monotonicMs,
  sleep,
};

function monotonicMs(): number {
  // Twice as fast as its bigint form, and read twice for every job.
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    let leftMs = ms;
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const sleepSlice = () => {
      const sliceMs = Math.min(leftMs, longestTimerMs);
      leftMs -= sliceMs;
      timer = setTimeout(leftMs > 0 ? sleepSlice : end, sliceMs);
    };
    signal?.addEventListener("abort", end);
    sleepSlice();
  });
}
