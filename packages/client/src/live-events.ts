import type { ClientClock } from "./client-clock.ts";
import type { LiveMessage } from "./live-message.ts";
import type { LiveStatus } from "./live-status.ts";
import type { Arrival, MessageSource } from "./message-source.ts";
import type { PageVisibility } from "./page-visibility.ts";
import { ResponseError } from "./response-error.ts";

/** From where on events are followed, and when the stream is closed. */
export interface LiveEventsOptions {
  /** The cursor of the last message that was had, or "start" for the oldest that is kept; without it, from now on. */
  readonly after?: string | undefined;
  /** Closes the stream while the page is hidden, and continues from its cursor afterwards. */
  readonly pauseWhenHidden?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onStatus?: ((status: LiveStatus) => void) | undefined;
}

export interface LiveEventsParts<Message> {
  readonly source: MessageSource<Message>;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly page: PageVisibility | null;
}

const longestRetryMs = 15_000;
const failuresUntilPolling = 3;
const pollMs = 2_000;
const pollGrowth = 1.5;
const longestPollMs = 15_000;
/** After so long the stream is tried again. */
const pollForMs = 60_000;

/** Messages from a server, over a stream that reconnects by itself: each entry of the log comes once and in order. */
export class LiveEvents<Message = LiveMessage> implements AsyncIterable<Message> {
  readonly #parts: LiveEventsParts<Message>;
  readonly #options: LiveEventsOptions;
  readonly #closing = new AbortController();
  readonly #messages: AsyncGenerator<Message, void, undefined>;
  #cursor: string | null;
  #isOver = false;
  #status: LiveStatus;

  constructor(parts: LiveEventsParts<Message>, options: LiveEventsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#cursor = options.after ?? null;
    this.#status = { state: "connecting", since: parts.clock.now() };
    this.#messages = this.#follow();
    this.close = this.close.bind(this);
    if (options.signal?.aborted) this.close();
    else options.signal?.addEventListener("abort", this.close);
  }

  get status(): LiveStatus {
    return this.#status;
  }

  /** Where to continue another time: everything up to here has been yielded. */
  get cursor(): string | null {
    return this.#cursor;
  }

  close(): void {
    this.#options.signal?.removeEventListener("abort", this.close);
    this.#closing.abort();
    this.#tell("closed");
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, void, undefined> {
    return {
      next: () => this.#messages.next(),
      return: () => {
        // First: while a generator waits for the network, it does not notice that it should end.
        this.close();
        return this.#messages.return();
      },
    };
  }

  async *#follow(): AsyncGenerator<Message, void, undefined> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      if (this.#isToPause) await this.#untilSeen();
      let retryAfterMs = 0;
      try {
        for await (const message of this.#stream()) {
          failures = 0;
          if (message !== null) yield message;
        }
      } catch (error) {
        if (error instanceof ResponseError && !error.isPassing) throw this.#failed(error);
        retryAfterMs = error instanceof ResponseError ? (error.retryAfterMs ?? 0) : 0;
        failures += 1;
      }
      if (this.#isOver) return this.close();
      if (signal.aborted || this.#isToPause) continue;
      if (failures >= failuresUntilPolling) {
        yield* this.#poll();
        if (this.#isOver) return this.close();
        continue;
      }
      this.#tell("reconnecting");
      await this.#parts.clock.sleep(Math.max(retryAfterMs, this.#retryMs(failures)), signal);
    }
  }

  /** One connection; null for what only says that the server is there. */
  async *#stream(): AsyncGenerator<Message | null, void, undefined> {
    if (this.#closing.signal.aborted) return;
    const ended = new AbortController();
    const end = () => ended.abort();
    const endIfHidden = () => {
      if (this.#isToPause) end();
    };
    this.#closing.signal.addEventListener("abort", end);
    const stopWatching = this.#parts.page?.onChange(endIfHidden);
    try {
      for await (const arrival of this.#parts.source.stream(this.#cursor, ended.signal)) {
        this.#tell("live");
        yield this.#take(arrival);
      }
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      end();
      stopWatching?.();
      this.#closing.signal.removeEventListener("abort", end);
    }
  }

  /** When no stream can be opened: polls, less and less often. */
  async *#poll(): AsyncGenerator<Message, void, undefined> {
    const { clock, source } = this.#parts;
    const { signal } = this.#closing;
    const untilMs = clock.now().getTime() + pollForMs;
    let everyMs = pollMs;
    while (!signal.aborted && !this.#isOver && !this.#isToPause && clock.now().getTime() < untilMs) {
      let hasMore = false;
      try {
        const page = await source.poll(this.#cursor, signal);
        this.#tell("polling");
        hasMore = page.hasMore;
        for (const arrival of page.arrivals) {
          const message = this.#take(arrival);
          if (message === null) continue;
          everyMs = pollMs / pollGrowth;
          yield message;
        }
      } catch (error) {
        if (error instanceof ResponseError && !error.isPassing) throw this.#failed(error);
        if (!signal.aborted) this.#tell("reconnecting");
      }
      if (hasMore || this.#isOver) continue;
      await clock.sleep(everyMs * (0.5 + this.#parts.random() / 2), signal);
      everyMs = Math.min(longestPollMs, everyMs * pollGrowth);
    }
  }

  /** Before it is yielded: a caller that leaves in the middle of a message has received it. */
  #take({ message, cursor, isLast = false }: Arrival<Message>): Message | null {
    this.#cursor = cursor ?? this.#cursor;
    this.#isOver ||= isLast;
    return message;
  }

  #retryMs(failures: number): number {
    const ms = Math.min(longestRetryMs, this.#parts.source.retryMs * 2 ** failures);
    // Not all at once: after a restart every client of the server comes back.
    return ms * (0.25 + 0.75 * this.#parts.random());
  }

  get #isToPause(): boolean {
    return this.#options.pauseWhenHidden === true && this.#parts.page?.isHidden === true;
  }

  async #untilSeen(): Promise<void> {
    const { page } = this.#parts;
    const { signal } = this.#closing;
    this.#tell("paused");
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#isToPause && !signal.aborted) return;
        stopWatching?.();
        signal.removeEventListener("abort", look);
        resolve();
      };
      const stopWatching = page?.onChange(look);
      signal.addEventListener("abort", look);
    });
    this.#tell("reconnecting");
  }

  #failed(error: ResponseError): ResponseError {
    this.close();
    return error;
  }

  #tell(state: LiveStatus["state"]): void {
    if (this.#status.state === state || this.#status.state === "closed") return;
    this.#status = { state, since: this.#parts.clock.now() };
    this.#options.onStatus?.(this.#status);
  }
}
