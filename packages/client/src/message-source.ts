import type { ApiCaller } from "./api-caller.ts";
import type { ClientClock } from "./client-clock.ts";
import { type LiveMessage, type StateTopic, stateTopics } from "./live-message.ts";
import { type LiveQuery, queryText } from "./live-query.ts";
import { readChunks } from "./read-chunks.ts";
import { type ServerSentEvent, SseParser } from "./sse-parser.ts";
import { withinTime } from "./within-time.ts";

/** What has come: messages in order, and the cursor after each of them. */
export interface Arrival {
  readonly message: LiveMessage | null;
  readonly cursor: string | null;
}

interface EventPage {
  readonly data: readonly Extract<LiveMessage, { cursor: string }>[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

export interface MessageSourceParts {
  readonly api: ApiCaller;
  readonly clock: ClientClock;
  readonly query: LiveQuery;
}

// The server says something every 15 s, if only that it is there; and at once when it begins, unless a proxy keeps it back.
const answerMs = 20_000;
const silenceMs = { first: 10_000, later: 40_000 };

/** Asks for messages after a cursor: as a stream that stays open, or for what there is now. */
export class MessageSource {
  readonly #parts: MessageSourceParts;
  #retryMs = 2_000;

  constructor(parts: MessageSourceParts) {
    this.#parts = parts;
  }

  /** How long the server wants clients to wait before they come back. */
  get retryMs(): number {
    return this.#retryMs;
  }

  /** Until the server ends it. Throws when the connection breaks or the server refuses. */
  async *stream(cursor: string | null, signal: AbortSignal): AsyncGenerator<Arrival, void, undefined> {
    const { clock, query } = this.#parts;
    const headers: Record<string, string> = { accept: "text/event-stream" };
    if (cursor !== null) headers["last-event-id"] = cursor;
    const asking = new AbortController();
    const end = () => asking.abort();
    signal.addEventListener("abort", end);
    try {
      const { body } = await this.#ask(queryText(query, {}), headers, asking);
      if (body === null) throw new TypeError("The answer has no body.");
      const parser = new SseParser();
      for await (const chunk of readChunks(body, clock, silenceMs)) {
        for (const event of parser.push(chunk)) yield { message: messageOf(event), cursor: event.id };
        this.#retryMs = parser.retryMs ?? this.#retryMs;
        // Also where it only says how far it is, or that it is there.
        yield { message: null, cursor: parser.lastEventId };
      }
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** What there is after the cursor; without one, only the current cursor. */
  async poll(cursor: string | null, signal: AbortSignal): Promise<{ arrivals: Arrival[]; hasMore: boolean }> {
    const after: Record<string, string> = cursor === null ? {} : { after: cursor };
    const asking = new AbortController();
    const end = () => asking.abort();
    signal.addEventListener("abort", end);
    try {
      const headers = { accept: "application/json" };
      const response = await this.#ask(queryText(this.#parts.query, after), headers, asking);
      const page = (await response.json()) as EventPage;
      const arrivals = page.data.map((message): Arrival => ({ message, cursor: message.cursor }));
      return { arrivals: [...arrivals, { message: null, cursor: page.cursor }], hasMore: page.hasMore };
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  async #ask(query: string, headers: Record<string, string>, asking: AbortController): Promise<Response> {
    const { api, clock } = this.#parts;
    return await withinTime(clock, answerMs, asking, api.get(`/events${query}`, headers, asking.signal));
  }
}

function messageOf({ event, data, id }: ServerSentEvent): LiveMessage | null {
  if (event === "job" && id !== null) return { type: "job", event: JSON.parse(data), cursor: id };
  if (event === "reset" && id !== null) return { type: "reset", cursor: id };
  const topic = stateTopics.find((known): known is StateTopic => known === event);
  return topic === undefined ? null : { type: topic, data: JSON.parse(data) };
}
