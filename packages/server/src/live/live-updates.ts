import type { Clock, JobEvent } from "lockstep";
import type { EventHub } from "./event-hub.ts";
import type { EventScope } from "./event-scope.ts";
import { EventStream, message } from "./event-stream.ts";
import type { FollowedEvent } from "./followed-event.ts";
import type { Sampler, Screen } from "./sampler.ts";

export interface LiveUpdatesParts {
  readonly hub: EventHub;
  readonly sampler: Sampler;
  readonly clock: Clock;
  readonly random: () => number;
  /** The server's end. */
  readonly stopping: AbortSignal;
}

export interface LiveRequest {
  /** Null: without entries of the log. */
  readonly log: { readonly scope: EventScope; readonly after: string | null } | null;
  readonly screen: Omit<Screen, "send">;
  /** As the one who asks may see it. */
  readonly encode: (event: JobEvent) => string;
  readonly expiresAt: Date | null;
  readonly isStillAllowed: () => Promise<boolean>;
  /** Aborts when the client goes, even before it has been answered. */
  readonly gone: AbortSignal;
  readonly onEnd: () => void;
}

/** The log could not be reached in time: there is nothing to stream from. */
export class LogOutOfReachError extends Error {
  override readonly name = "LogOutOfReachError";
}

const firstMs = 5_000;
const pingMs = 15_000;
const checkMs = 5 * 60_000;
// So that deploys and proxies stay calm; not all at the same moment.
const lifeMs = { least: 13 * 60_000, most: 15 * 60_000 };

/** Opens streams, and keeps each as long as it may last. */
export class LiveUpdates {
  readonly #parts: LiveUpdatesParts;

  constructor(parts: LiveUpdatesParts) {
    this.#parts = parts;
  }

  /** Comes back when the stream has its place in the log: what happens from then on, it tells. */
  async open(request: LiveRequest): Promise<ReadableStream<Uint8Array>> {
    const { hub, sampler, clock, stopping } = this.#parts;
    const stream = new EventStream({ clock });
    const close = () => stream.close();
    const ends = [stopping, request.gone];
    for (const end of ends) end.addEventListener("abort", close);
    let leave = () => {};
    stream.ended.addEventListener("abort", () => {
      for (const end of ends) end.removeEventListener("abort", close);
      leave();
      request.onEnd();
    });
    try {
      await stream.write("retry: 2000\n\n");
      if (request.log !== null) {
        const events = hub.follow(request.log.scope, request.log.after, stream.ended);
        const first = await this.#inTime(events.next());
        this.#tell(stream, first, events, request.encode).catch(close);
      }
      leave = sampler.add({ ...request.screen, send: (topic, data) => stream.state(topic, data) });
      this.#keep(stream, request).catch(close);
      if (ends.some(({ aborted }) => aborted)) close();
      return stream.body;
    } catch (error) {
      close();
      throw error;
    }
  }

  async #inTime<Value>(coming: Promise<Value>): Promise<Value> {
    const isThere = new AbortController();
    const first = coming.finally(() => isThere.abort());
    // It may fail when nobody waits any more.
    first.catch(() => undefined);
    await this.#parts.clock.sleep(firstMs, isThere.signal);
    if (!isThere.signal.aborted) throw new LogOutOfReachError("The realtime log did not answer in time.");
    return await first;
  }

  async #tell(
    stream: EventStream,
    first: IteratorResult<FollowedEvent, void>,
    events: AsyncGenerator<FollowedEvent, void, undefined>,
    encode: (event: JobEvent) => string,
  ): Promise<void> {
    for (let next = first; next.value !== undefined; next = await events.next()) {
      await stream.write(textOf(next.value, encode));
    }
    stream.close();
  }

  async #keep(stream: EventStream, request: LiveRequest): Promise<void> {
    const { clock, random } = this.#parts;
    const leftMs = (request.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - clock.now().getTime();
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
      if (!(await request.isStillAllowed())) return stream.close();
    }
  }
}

function textOf(given: FollowedEvent, encode: (event: JobEvent) => string): string {
  // Without data it tells nobody anything, but is where a client that comes back goes on.
  if (given.kind === "place") return `id: ${given.cursor}\n\n`;
  if (given.kind === "reset") return message("reset", "{}", given.cursor);
  return message("job", encode(given.event), given.cursor);
}
