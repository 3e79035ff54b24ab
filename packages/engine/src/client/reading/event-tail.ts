import type { Clock } from "../../clock.ts";
import type { EventFilter, EventStore } from "../../store/reading/event-store.ts";
import { EventWatch } from "./event-watch.ts";

export interface EventTailParts {
  readonly store: Pick<EventStore, "read">;
  readonly clock: Clock;
}

const intervalMs = 200;
const pageSize = 1_000;
const everything: EventFilter = { owner: null, pipeline: null, jobId: null };

/**
 * Polls the end of the realtime log once for all readers of this process, and wakes those for whom there are events: a
 * thousand waiting readers cost one look. Nothing is polled while nobody watches.
 */
export class EventTail {
  readonly #parts: EventTailParts;
  readonly #watches = new Set<EventWatch>();
  #isStopping = false;
  #sleeping: AbortController | null = null;
  #polling: Promise<void> | null = null;

  constructor(parts: EventTailParts) {
    this.#parts = parts;
  }

  join(filter: EventFilter): EventWatch {
    const watch = new EventWatch(filter);
    this.#watches.add(watch);
    this.#polling ??= this.#pollWhileSomebodyWatches();
    return watch;
  }

  leave(watch: EventWatch): void {
    this.#watches.delete(watch);
    if (this.#watches.size === 0) this.#sleeping?.abort();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#sleeping?.abort();
    await this.#polling;
  }

  async #pollWhileSomebodyWatches(): Promise<void> {
    let cursor: string | null = null;
    while (this.#watches.size > 0 && !this.#isStopping) {
      const next: { cursor: string | null; isAll: boolean } = await this.#look(cursor);
      cursor = next.cursor;
      if (!next.isAll) continue;
      this.#sleeping = new AbortController();
      // During the look the last reader may have left, or the engine may have stopped.
      if (this.#watches.size > 0 && !this.#isStopping) {
        await this.#parts.clock.sleep(intervalMs, this.#sleeping.signal);
      }
      this.#sleeping = null;
    }
    this.#polling = null;
  }

  async #look(from: string | null): Promise<{ cursor: string | null; isAll: boolean }> {
    try {
      const { cursor, events, isAll } = await this.#parts.store.read(from, everything, pageSize);
      for (const watch of this.#watches) {
        // Nobody has seen what came before the first look, so they look once more.
        if (from === null) watch.tell();
        for (const event of events) watch.hear(event);
      }
      return { cursor, isAll };
    } catch {
      // An outage is told by the pool; the next look begins at the same place.
      return { cursor: from, isAll: true };
    }
  }
}
