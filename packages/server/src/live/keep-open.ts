import type { Clock } from "lockstep";
import type { EventStream } from "./event-stream.ts";

export interface KeepOpenParts {
  readonly clock: Clock;
  readonly random: () => number;
}

/** Until when a client may listen. */
export interface Stay {
  readonly expiresAt: Date | null;
  readonly isStillAllowed: () => Promise<boolean>;
}

const pingMs = 15_000;
const checkMs = 5 * 60_000;
// So that deploys and proxies stay calm; not all at the same moment.
const lifeMs = { least: 13 * 60_000, most: 15 * 60_000 };

/** Shows a client that the server is there, and closes its stream when its time is over. */
export async function keepOpen(
  stream: EventStream,
  { expiresAt, isStillAllowed }: Stay,
  { clock, random }: KeepOpenParts,
): Promise<void> {
  const leftMs = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now().getTime();
  const allottedMs = lifeMs.least + random() * (lifeMs.most - lifeMs.least);
  const endsAtMs = clock.monotonicMs() + Math.min(leftMs, allottedMs);
  let checkAtMs = clock.monotonicMs() + checkMs;
  while (!stream.ended.aborted) {
    const nowMs = clock.monotonicMs();
    await clock.sleep(Math.min(pingMs, Math.max(0, endsAtMs - nowMs)), stream.ended);
    if (clock.monotonicMs() >= endsAtMs) return stream.close();
    stream.ping();
    if (clock.monotonicMs() < checkAtMs) continue;
    checkAtMs += checkMs;
    if (!(await isStillAllowed())) return stream.close();
  }
}
