import type { Engine } from "lockstep";

/** Waits until a job has ended, the time is over, or one of the signals aborts. The job's row says how it ended. */
export async function untilFinished(
  engine: Pick<Engine, "result">,
  id: string,
  timeoutMs: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const over = new AbortController();
  const aborted = new Promise<void>((resolve) => {
    const end = () => resolve();
    // They live longer than this: a server's own as long as the server.
    for (const signal of signals) signal.addEventListener("abort", end, { signal: over.signal });
    if (signals.some((signal) => signal.aborted)) end();
  });
  await Promise.race([engine.result(id, { timeoutMs }).catch(() => undefined), aborted]);
  over.abort();
}
