/** One message of a stream of server-sent events. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The last id up to here, this message's or that of one before it. */
  readonly id: string | null;
}

/** Reads server-sent events from bytes that may be cut anywhere, as the HTML standard has it. */
export class SseParser {
  readonly #decoder = new TextDecoder();
  #line = "";
  #endsInReturn = false;
  #event = "";
  #data: string[] = [];
  #id: string | null = null;
  #lastEventId: string | null = null;
  #retryMs: number | null = null;

  /** The id of the last message that came whole, also of one without data: what the server is told on coming back. */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** How long the server wants clients to wait before they come back. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  push(chunk: Uint8Array): ServerSentEvent[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return [];
    // The second half of a line end whose first half ended the chunk before.
    if (this.#endsInReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endsInReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const events: ServerSentEvent[] = [];
    for (const [index, part] of lines.entries()) {
      this.#line += part;
      if (index === lines.length - 1) break;
      const event = this.#read(this.#line);
      this.#line = "";
      if (event !== null) events.push(event);
    }
    return events;
  }

  #read(line: string): ServerSentEvent | null {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.#retryMs = Number(value);
    return null;
  }

  #end(): ServerSentEvent | null {
    this.#lastEventId = this.#id ?? this.#lastEventId;
    const event =
      this.#data.length === 0
        ? null
        : { event: this.#event || "message", data: this.#data.join("\n"), id: this.#lastEventId };
    this.#event = "";
    this.#data = [];
    return event;
  }
}
