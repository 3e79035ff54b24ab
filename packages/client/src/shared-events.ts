import type { ClientClock } from "./client-clock.ts";
import type { LockstepClient } from "./create-client.ts";
import type { LiveEvents } from "./live-events.ts";
import type { LiveMessage } from "./live-message.ts";
import type { LiveQuery } from "./live-query.ts";
import type { LiveStatus } from "./live-status.ts";

export interface SharedEventsParts {
  readonly client: Pick<LockstepClient, "follow">;
  readonly query: LiveQuery & { readonly pauseWhenHidden?: boolean };
  readonly clock: ClientClock;
}

// What leaves and comes back at once, like components that are rendered again, keeps its stream.
const lingerMs = 1_000;

/** One stream for all who listen in this process, open while anybody does. */
export class SharedEvents {
  readonly #parts: SharedEventsParts;
  readonly #listeners = new Set<(message: LiveMessage) => void>();
  readonly #statusListeners = new Set<() => void>();
  #live: LiveEvents | null = null;
  #cursor: string | null = null;
  #status: LiveStatus;
  #error: unknown = null;
  #leaving: AbortController | null = null;

  constructor(parts: SharedEventsParts) {
    this.#parts = parts;
    this.#status = { state: "connecting", since: parts.clock.now() };
  }

  get status(): LiveStatus {
    return this.#status;
  }

  /** Why the server refuses the stream, if it does. */
  get error(): unknown {
    return this.#error;
  }

  subscribe(listener: (message: LiveMessage) => void): () => void {
    this.#listeners.add(listener);
    this.#leaving?.abort();
    if (this.#live === null) this.#open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) void this.#closeAfterAWhile();
    };
  }

  onStatus(listener: () => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  #open(): void {
    const { client, query } = this.#parts;
    this.#error = null;
    const live = client.follow(
      {
        ...query,
        ...(this.#cursor !== null && { after: this.#cursor }),
        onStatus: (status) => this.#tell(status),
      },
      (message) => {
        for (const listener of [...this.#listeners]) listener(message);
      },
      (error) => {
        this.#error = error;
        this.#tell(live.status);
      },
    );
    this.#live = live;
  }

  async #closeAfterAWhile(): Promise<void> {
    const leaving = new AbortController();
    this.#leaving = leaving;
    await this.#parts.clock.sleep(lingerMs, leaving.signal);
    if (leaving.signal.aborted || this.#listeners.size > 0) return;
    // Whoever comes next goes on where it was: nothing between is missed.
    this.#cursor = this.#live?.cursor ?? this.#cursor;
    this.#live?.close();
    this.#live = null;
  }

  #tell(status: LiveStatus): void {
    this.#status = status;
    for (const listener of [...this.#statusListeners]) listener();
  }
}
