import type { ApiCaller } from "./api-caller.ts";
import type { ClientClock } from "./client-clock.ts";
import { readChunks } from "./read-chunks.ts";
import { type ServerSentEvent, SseParser } from "./sse-parser.ts";
import { withinTime } from "./within-time.ts";

/** What has come: messages in order, and the cursor after each of them. */
export interface Arrival<Message> {
  readonly message: Message | null;
  readonly cursor: string | null;
  /** Nothing will follow. */
  readonly isLast?: boolean;
}

/** How the messages of one address are asked for, and how they are read. */
export interface Dialect<Message> {
  /** With these in the query. */
  path(more: Readonly<Record<string, string>>): string;
  ofEvent(event: ServerSentEvent): readonly Arrival<Message>[];
  ofPage(page: unknown): { readonly arrivals: readonly Arrival<Message>[]; readonly hasMore: boolean };
}

export interface MessageSourceParts<Message> {
  readonly api: ApiCaller;
  readonly clock: ClientClock;
  readonly dialect: Dialect<Message>;
}

// The server says something every 15 s, if only that it is there; and at once when it begins, unless a proxy keeps it back.
const answerMs = 20_000;
const silenceMs = { first: 10_000, later: 40_000 };

/** Asks for messages after a cursor: as a stream that stays open, or for what there is now. */
export class MessageSource<Message> {
  readonly #parts: MessageSourceParts<Message>;
  #retryMs = 2_000;

  constructor(parts: MessageSourceParts<Message>) {
    this.#parts = parts;
  }

  /** How long the server wants clients to wait before they come back. */
  get retryMs(): number {
    return this.#retryMs;
  }

  /** Until the server ends it. Throws when the connection breaks or the server refuses. */
  async *stream(
    cursor: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<Arrival<Message>, void, undefined> {
    const { clock, dialect } = this.#parts;
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (cursor !== null) headers["last-event-id"] = cursor;
    const asking = new AbortController();
    const end = () => asking.abort();
    signal.addEventListener("abort", end);
    try {
      const { body } = await this.#ask({}, headers, asking);
      if (body === null) throw new TypeError("The answer has no body.");
      const parser = new SseParser();
      for await (const chunk of readChunks(body, clock, silenceMs)) {
        for (const event of parser.push(chunk)) yield* dialect.ofEvent(event);
        this.#retryMs = parser.retryMs ?? this.#retryMs;
        // Also where it only says how far it is, or that it is there.
        yield { message: null, cursor: parser.lastEventId };
      }
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** What there is after the cursor; without one, only the current cursor. */
  async poll(cursor: string | null, signal: AbortSignal): Promise<ReturnType<Dialect<Message>["ofPage"]>> {
    const after: Record<string, string> = cursor === null ? {} : { after: cursor };
    const asking = new AbortController();
    const end = () => asking.abort();
    signal.addEventListener("abort", end);
    try {
      const headers = { accept: "application/json" };
      const response = await this.#ask(after, headers, asking);
      return this.#parts.dialect.ofPage(await response.json());
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  async #ask(
    more: Readonly<Record<string, string>>,
    headers: Record<string, string>,
    asking: AbortController,
  ): Promise<Response> {
    const { api, clock, dialect } = this.#parts;
    return await withinTime(clock, answerMs, asking, api.get(dialect.path(more), headers, asking.signal));
  }
}
