import { setMaxListeners } from "node:events";
import type { Clock } from "../../clock.ts";
import type { StreamPart } from "../../jobs/streams/stream-entry.ts";
import { DatabaseUnavailableError, StatementTimeoutError } from "../../store/connections/database-error.ts";
import type { StreamPage, StreamPlace, StreamStore } from "../../store/working/stream-store.ts";
import { StreamFeed } from "./stream-feed.ts";

export interface StreamHubParts {
  readonly store: Pick<StreamStore, "read">;
  readonly clock: Clock;
}

// A worker writes at most every 100 ms; while nothing comes, less is enough.
const busyMs = 100;
const quietMs = 250;
const busyForMs = 2_000;
const outageMs = 1_000;
const pageSize = 100;
// Small: a page is held for as long as its reader takes for it.
const catchUpSize = 20;

/**
 * Reads streams for all of this process who follow them: one look for all streams, and each stream once however many follow it.
 * Whoever is further behind than the hub remembers reads for itself until it has caught up. So a slow one slows nobody, and none
 * is kept anything for.
 */
export class StreamHub {
  readonly #parts: StreamHubParts;
  readonly #feeds = new Map<string, StreamFeed>();
  readonly #catchingUp = new Map<string, Promise<StreamPage>>();
  readonly #stopping = new AbortController();
  #newsAtMs = Number.NEGATIVE_INFINITY;
  #sleeping: AbortController | null = null;
  #polling: Promise<void> | null = null;

  constructor(parts: StreamHubParts) {
    this.#parts = parts;
    // Every follower listens; Node's warning is for listeners that are never removed.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * What comes after a place, until the job has ended, the signal aborts or the hub stops. Returns whether that was the end of
   * the stream.
   */
  async *follow(place: StreamPlace, signal: AbortSignal): AsyncGenerator<StreamPart, boolean, undefined> {
    const ended = new AbortController();
    const end = () => ended.abort();
    const sources = [signal, this.#stopping.signal];
    for (const source of sources) source.addEventListener("abort", end);
    if (sources.some(({ aborted }) => aborted)) end();
    const feed = this.#join(place);
    try {
      return yield* this.#follow(feed, place.cursor, ended.signal);
    } finally {
      for (const source of sources) source.removeEventListener("abort", end);
      this.#leave(feed);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleeping?.abort();
    await this.#polling;
  }

  async *#follow(
    feed: StreamFeed,
    from: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamPart, boolean, undefined> {
    let cursor = from;
    while (!signal.aborted) {
      const next = feed.after(cursor);
      if (next === "over") return true;
      if (next === "nothing yet") {
        await feed.news(signal);
      } else if (next !== null) {
        cursor = next.cursor;
        yield next;
      } else {
        const page = await this.#catchUp({ jobId: feed.jobId, name: feed.name, cursor }, signal);
        for (const part of page?.parts ?? []) {
          if (signal.aborted) return false;
          cursor = part.cursor;
          yield part;
        }
        if (page?.isOver) return true;
        // It is further than the hub, which will tell it; unless the job has begun anew after the hub saw its end.
        if (page?.parts.length === 0 && feed.after(cursor) === null) {
          await (feed.hasEnded ? this.#parts.clock.sleep(quietMs, signal) : feed.news(signal));
        }
      }
    }
    return false;
  }

  /** Null in an outage, after a pause. Those at the same place share a read. */
  async #catchUp(place: StreamPlace, signal: AbortSignal): Promise<StreamPage | null> {
    const key = JSON.stringify([place.jobId, place.name, place.cursor]);
    let reading = this.#catchingUp.get(key);
    if (reading === undefined) {
      reading = this.#parts.store.read([place], catchUpSize).then(([page]) => page ?? nothing);
      this.#catchingUp.set(key, reading);
      const forget = () => this.#catchingUp.delete(key);
      reading.then(forget, forget);
    }
    try {
      return await reading;
    } catch (error) {
      if (!mayPass(error)) throw error;
      await this.#parts.clock.sleep(outageMs, signal);
      return null;
    }
  }

  #join({ jobId, name, cursor }: StreamPlace): StreamFeed {
    const key = keyOf(jobId, name);
    let feed = this.#feeds.get(key);
    if (feed === undefined) {
      feed = new StreamFeed(jobId, name, cursor);
      this.#feeds.set(key, feed);
      this.#sleeping?.abort();
      this.#polling ??= this.#pollWhileSomebodyFollows();
    }
    feed.followers += 1;
    return feed;
  }

  #leave(feed: StreamFeed): void {
    feed.followers -= 1;
    if (feed.followers === 0) this.#forget(feed);
    if (this.#feeds.size === 0) this.#sleeping?.abort();
  }

  /** Those who follow it go on to its end; the job may begin anew for others. */
  #forget(feed: StreamFeed): void {
    const key = keyOf(feed.jobId, feed.name);
    if (this.#feeds.get(key) === feed) this.#feeds.delete(key);
  }

  async #pollWhileSomebodyFollows(): Promise<void> {
    const { clock } = this.#parts;
    while (this.#feeds.size > 0 && !this.#stopping.signal.aborted) {
      // Those who come in the same turn are read in one look.
      await new Promise((resolve) => setImmediate(resolve));
      const pauseMs = await this.#look();
      this.#sleeping = new AbortController();
      if (pauseMs > 0 && this.#feeds.size > 0 && !this.#stopping.signal.aborted) {
        await clock.sleep(pauseMs, this.#sleeping.signal);
      }
      this.#sleeping = null;
    }
    this.#polling = null;
  }

  /** Says how long to wait with the next. */
  async #look(): Promise<number> {
    const { store, clock } = this.#parts;
    const feeds = [...this.#feeds.values()];
    if (feeds.length === 0) return 0;
    try {
      const pages = await store.read(feeds, pageSize);
      for (const [index, feed] of feeds.entries()) {
        const page = pages[index] ?? nothing;
        if (page.parts.length > 0) this.#newsAtMs = clock.monotonicMs();
        feed.add(page.parts, page.isOver);
        if (feed.hasEnded) this.#forget(feed);
      }
      if (pages.some(({ hasMore }) => hasMore)) return 0;
      return clock.monotonicMs() - this.#newsAtMs < busyForMs ? busyMs : quietMs;
    } catch (error) {
      if (mayPass(error)) return outageMs;
      for (const feed of feeds) {
        feed.fail(error);
        this.#forget(feed);
      }
      return 0;
    }
  }
}

const nothing: StreamPage = { parts: [], hasMore: false, isOver: false };

const keyOf = (jobId: string, name: string) => `${jobId} ${name}`;

/** An outage, of which the pool tells, or a server that is busy: the next read begins at the same place. */
function mayPass(error: unknown): boolean {
  return (
    error instanceof StatementTimeoutError || (error instanceof DatabaseUnavailableError && !error.isFinal)
  );
}
