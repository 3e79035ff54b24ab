import type { ClientClock } from "./client-clock.ts";

/** Waits for an answer, and ends the asking when it takes too long. */
export async function withinTime<Answer>(
  clock: ClientClock,
  mostMs: number,
  asking: AbortController,
  answer: Promise<Answer>,
): Promise<Answer> {
  const isThere = new AbortController();
  const answered = answer.finally(() => isThere.abort());
  // It may fail while the timer is running.
  answered.catch(() => undefined);
  await clock.sleep(mostMs, isThere.signal);
  if (!isThere.signal.aborted) asking.abort();
  return await answered;
}
