import type { Clock } from "../clock.ts";

/** Waits until the work is settled, whichever way, and no longer than that; a signal cuts the waiting short. */
export async function settledWithin(
  limitMs: number,
  work: Promise<unknown>,
  clock: Pick<Clock, "sleep">,
  cut?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  if (cut?.aborted) end();
  cut?.addEventListener("abort", end, { signal: over.signal });
  work.then(end, end);
  await clock.sleep(limitMs, over.signal);
  end();
}
