import type { Clock } from "../../clock.ts";

/** The call's answer; or, once the signal has aborted and the grace is over without one, the reason of the abort. */
export async function withinGrace<Answer>(
  call: Promise<Answer>,
  { signal, clock, graceMs }: { signal: AbortSignal; clock: Pick<Clock, "sleep">; graceMs: number },
): Promise<Answer> {
  const over = new AbortController();
  const late = new Promise<never>((_resolve, reject) => {
    const wait = () => void clock.sleep(graceMs, over.signal).then(() => reject(signal.reason));
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    // The race has handlers on both, so the slower one cannot become an unhandled rejection.
    over.abort();
  }
}
