import type { LockstepClient } from "./create-client.ts";
import type { LiveEvents } from "./live-events.ts";
import type { StreamMessage } from "./stream-message.ts";

/** A stream as far as it has come. */
export interface WatchedStream<Chunk = unknown> {
  /** The chunks that count: what a retry has cut off is not among them. */
  readonly chunks: readonly Chunk[];
  /** Those of them that are text, as one text. */
  readonly text: string;
  /** The job has ended, and this is all. */
  readonly isOver: boolean;
  /** Nothing has come yet. */
  readonly isLoading: boolean;
  readonly error: unknown;
}

export interface StreamWatchParts {
  readonly client: Pick<LockstepClient, "stream">;
  readonly pauseWhenHidden: boolean;
  /** Called when somebody begins to look at it. */
  readonly onBegin?: (() => void) | undefined;
}

/** Keeps one stream of a job, while anybody looks at it. */
export class StreamWatch {
  readonly #jobId: string;
  readonly #name: string;
  readonly #parts: StreamWatchParts;
  readonly #listeners = new Set<() => void>();
  #state: WatchedStream = { chunks: [], text: "", isOver: false, isLoading: true, error: null };
  #cursor: string | null = null;
  #live: LiveEvents<StreamMessage> | null = null;
  #isTelling = false;

  constructor(jobId: string, name: string, parts: StreamWatchParts) {
    this.#jobId = jobId;
    this.#name = name;
    this.#parts = parts;
    this.subscribe = this.subscribe.bind(this);
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  get state(): WatchedStream {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#live === null) void this.#follow();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      // Whoever comes next goes on where it was.
      this.#live?.close();
      this.#live = null;
    };
  }

  async #follow(): Promise<void> {
    const { client, pauseWhenHidden, onBegin } = this.#parts;
    onBegin?.();
    const live = client.stream(this.#jobId, this.#name, {
      pauseWhenHidden,
      ...(this.#cursor !== null && { after: this.#cursor }),
    });
    this.#live = live;
    try {
      for await (const message of live) {
        if (this.#live !== live) return;
        this.#take(message);
      }
      // Closed by us, it is not over.
      if (this.#live === live) this.#tell({ ...this.#state, isOver: true, isLoading: false });
    } catch (error) {
      if (this.#live === live) this.#tell({ ...this.#state, isLoading: false, error });
    }
  }

  #take(message: StreamMessage): void {
    this.#cursor = message.cursor;
    const { chunks, text } = this.#state;
    const came = { isOver: false, isLoading: false, error: null };
    if (message.type === "rewind") {
      const kept = chunks.slice(0, message.to);
      this.#tell({ ...came, chunks: kept, text: kept.map(textOf).join("") });
    } else {
      this.#tell({ ...came, chunks: [...chunks, message.chunk], text: text + textOf(message.chunk) });
    }
  }

  /** Chunks that came in one message are shown together. */
  #tell(state: WatchedStream): void {
    this.#state = state;
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}

function textOf(chunk: unknown): string {
  return typeof chunk === "string" ? chunk : "";
}
