/** One message of a stream of server-sent events as it stands there. */
export interface StreamMessage {
  readonly id: string | null;
  readonly event: string | null;
  readonly data: unknown;
}

/** Reads a stream of server-sent events message by message, comments and all. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("The answer has no body.");
    this.#reader = response.body.getReader();
  }

  /** Null at the end. */
  async next(): Promise<StreamMessage | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return messageIn(block);
      }
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next message of this name; others are passed over. */
  async nextOf(event: string): Promise<StreamMessage> {
    for (let next = await this.next(); next !== null; next = await this.next()) {
      if (next.event === event) return next;
    }
    throw new Error(`The stream has ended before a message "${event}" came.`);
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

function messageIn(block: string): StreamMessage {
  const field = (name: string) =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? null;
  const data = field("data");
  return {
    id: field("id"),
    event: field("event") ?? (block.startsWith(":") ? block : null),
    data: data === null ? null : JSON.parse(data),
  };
}
