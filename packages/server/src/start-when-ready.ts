import type { Clock, Reader } from "lockstep";

const lookAgainMs = 5_000;

/** Starts something once the database is there with its schema, unless the server stops before. */
export async function startWhenReady(
  start: () => void,
  { reader, clock, stopping }: { reader: Pick<Reader, "check">; clock: Clock; stopping: AbortSignal },
): Promise<void> {
  while (!stopping.aborted) {
    const isReady = await reader.check().then(
      () => true,
      () => false,
    );
    if (stopping.aborted) return;
    if (isReady) return start();
    await clock.sleep(lookAgainMs, stopping);
  }
}
