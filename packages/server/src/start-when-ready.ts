import { type Clock, DatabaseUnavailableError, type Reader } from "lockstep";

const lookAgainMs = 5_000;

/** Starts something once the database is there with its schema, unless the server stops before. */
export async function startWhenReady(
  start: () => void,
  { reader, clock, stopping }: { reader: Pick<Reader, "check">; clock: Clock; stopping: AbortSignal },
): Promise<void> {
  while (!stopping.aborted) {
    const answer = await reader.check().catch((error: unknown) => error);
    // Its engine was stopped, and the database will never answer it again.
    if (stopping.aborted || (answer instanceof DatabaseUnavailableError && answer.isOfStoppedEngine)) return;
    if (!(answer instanceof Error)) return start();
    await clock.sleep(lookAgainMs, stopping);
  }
}
