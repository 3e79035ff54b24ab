import type { Clock, JobEvent } from "lockstep";
import type { EventHub } from "./event-hub.ts";
import type { EventScope } from "./event-scope.ts";
import { EventStream, message } from "./event-stream.ts";
import type { FollowedEvent } from "./followed-event.ts";
import { keepOpen, type Stay } from "./keep-open.ts";
import type { Sampler, Screen } from "./sampler.ts";

export interface LiveUpdatesParts {
  readonly hub: EventHub;
  readonly sampler: Sampler;
  readonly clock: Clock;
  readonly random: () => number;
  /** The server's end. */
  readonly stopping: AbortSignal;
}

export interface LiveRequest extends Stay {
  /** Null: without entries of the log. */
  readonly log: { readonly scope: EventScope; readonly after: string | null } | null;
  readonly screen: Omit<Screen, "send">;
  /** As the one who asks may see it. */
  readonly encode: (event: JobEvent) => string;
  /** Aborts when the client goes, even before it has been answered. */
  readonly gone: AbortSignal;
  readonly onEnd: () => void;
}

/** The log could not be reached in time: there is nothing to stream from. */
export class LogOutOfReachError extends Error {
  override readonly name = "LogOutOfReachError";
}

const firstMs = 5_000;

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
      keepOpen(stream, request, this.#parts).catch(close);
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
}

function textOf(given: FollowedEvent, encode: (event: JobEvent) => string): string {
  // Without data it tells nobody anything, but is where a client that comes back goes on.
  if (given.kind === "place") return `id: ${given.cursor}\n\n`;
  if (given.kind === "reset") return message("reset", "{}", given.cursor);
  return message("job", encode(given.event), given.cursor);
}
