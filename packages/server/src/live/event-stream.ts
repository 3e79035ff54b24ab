import type { Clock } from "lockstep";

export interface EventStreamParts {
  readonly clock: Clock;
  /** How long a client may take nothing while something waits for it. */
  readonly stallMs?: number;
}

// With what the follower holds, at most 64 KiB wait for one client.
const mostBytes = 16 * 1_024;
const encoder = new TextEncoder();

/**
 * The body of a server-sent events answer. Of a state only the latest waits for a slow client; entries of the log are
 * written no faster than it reads. One that reads nothing for too long is let go, and comes back with its cursor.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #clock: Clock;
  readonly #stallMs: number;
  readonly #ended = new AbortController();
  readonly #states = new Map<string, string>();
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #whenRoom: (() => void) | null = null;
  #sentBytes = 0;
  /** As the last ping that found something new taken saw it. */
  #taken = { bytes: 0, atMs: 0 };

  constructor({ clock, stallMs = 30_000 }: EventStreamParts) {
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#sendStates();
          if (this.#hasRoom) this.#whenRoom?.();
        },
        // The client has gone.
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostBytes }),
    );
  }

  /** Aborts when the client has gone, or the stream was closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The latest wins: what was not sent yet of the same topic is forgotten. */
  state(topic: string, data: string): void {
    if (this.#ended.signal.aborted) return;
    this.#states.set(topic, message(topic, data));
    this.#sendStates();
  }

  /** In order, and only as fast as the client reads. */
  async write(text: string): Promise<void> {
    if (!this.#hasRoom && !this.#ended.signal.aborted) await this.#untilRoom();
    this.#enqueue(text);
  }

  /**
   * Only if there is room: a message that waits shows as well that the server is there. A client that takes nothing of
   * what waits is let go, even if too little was sent to fill its buffer.
   */
  ping(): void {
    const waitingBytes = mostBytes - (this.#controller?.desiredSize ?? mostBytes);
    const bytes = this.#sentBytes - waitingBytes;
    const nowMs = this.#clock.monotonicMs();
    if (waitingBytes === 0 || bytes !== this.#taken.bytes) this.#taken = { bytes, atMs: nowMs };
    else if (nowMs - this.#taken.atMs >= this.#stallMs) this.#letGo();
    if (this.#hasRoom) this.#enqueue(": ping\n\n");
  }

  close(last = ""): void {
    if (this.#ended.signal.aborted) return;
    if (last !== "") this.#enqueue(last);
    this.#end();
    this.#controller?.close();
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  async #untilRoom(): Promise<void> {
    const room = new AbortController();
    const end = () => room.abort();
    this.#whenRoom = end;
    this.#ended.signal.addEventListener("abort", end);
    await this.#clock.sleep(this.#stallMs, room.signal);
    this.#ended.signal.removeEventListener("abort", end);
    this.#whenRoom = null;
    if (!room.signal.aborted) this.#letGo();
  }

  #letGo(): void {
    this.close(message("resync", '{"reason":"slow"}'));
  }

  #sendStates(): void {
    for (const [topic, text] of this.#states) {
      if (!this.#hasRoom) return;
      this.#states.delete(topic);
      this.#enqueue(text);
    }
  }

  #enqueue(text: string): void {
    if (this.#ended.signal.aborted) return;
    const bytes = encoder.encode(text);
    this.#sentBytes += bytes.length;
    this.#controller?.enqueue(bytes);
  }

  #end(): void {
    this.#ended.abort();
  }
}

/** A message of server-sent events; the data must be of one line, as JSON is. */
export function message(event: string, data: string, id: string | null = null): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}
