export interface StreamMessage {
  readonly event: string;
  readonly data: unknown;
}

export interface EventStreamParts {
  readonly onMessage: (message: StreamMessage) => void;
  readonly onOpen: () => void;
  /** How often in a row it could not be opened. */
  readonly onFailure: (failures: number) => void;
}

const events = ["stats", "workers", "rows", "list", "job", "notice", "reset"];
const againAfterMs = [1_000, 2_000, 4_000, 8_000, 15_000];
/** The server pings every 15 s, and a browser does not tell of pings: state comes at least this often, or we look. */
const waitForOpenMs = 10_000;

/** One server-sent stream that is opened again, later and later, when it ends. */
export class EventStream {
  readonly #parts: EventStreamParts;
  #address: string | null = null;
  #source: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
  }

  /** Null closes it. */
  follow(address: string | null): void {
    if (address === this.#address && (this.#source !== null || address === null)) return;
    this.#address = address;
    this.#open();
  }

  close(): void {
    this.#address = null;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  #open(): void {
    this.#end();
    if (this.#address === null) return;
    const source = new EventSource(this.#address);
    this.#source = source;
    this.#timer = setTimeout(() => this.#fail(), waitForOpenMs);
    source.onopen = () => {
      clearTimeout(this.#timer);
      this.#failures = 0;
      this.#parts.onOpen();
    };
    // The browser would try again by itself, but says neither how often nor with what result.
    source.onerror = () => this.#fail();
    for (const event of events) {
      source.addEventListener(event, ({ data }: MessageEvent<string>) => {
        this.#parts.onMessage({ event, data: parse(data) });
      });
    }
  }

  #fail(): void {
    this.#end();
    this.#failures += 1;
    this.#parts.onFailure(this.#failures);
    const delayMs = againAfterMs[Math.min(this.#failures, againAfterMs.length) - 1] ?? 15_000;
    this.#timer = setTimeout(() => this.#open(), delayMs);
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
