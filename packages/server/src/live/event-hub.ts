import { setMaxListeners } from "node:events";
import {
  type Clock,
  DatabaseUnavailableError,
  type EventPage,
  type EventsPart,
  RefusedError,
  StatementTimeoutError,
} from "lockstep";
import { EventFollower } from "./event-follower.ts";
import type { EventScope } from "./event-scope.ts";
import type { FollowedEvent } from "./followed-event.ts";
import { FollowerGroups } from "./follower-groups.ts";
import { withoutOvertakenProgress } from "./overtaken-progress.ts";

export interface EventHubParts {
  readonly reader: { events(part: EventsPart): Promise<EventPage> };
  readonly clock: Clock;
}

// Four times a second: progress of one job is not reported more often than that.
const intervalMs = 250;
const outageMs = 1_000;
const placeMs = 15_000;
const pageSize = 1_000;
// Small: a page is held for as long as its client takes to read it.
const catchUpSize = 100;
// How many reads in a row may time out before the hub gives up what they look for.
const patience = 5;

/**
 * Reads the realtime log once for all streams of this process and hands each what it wants: 500 streams cost the database
 * what one does. Whoever comes with a cursor is first brought exactly to the hub's place, by a read of its own that ends
 * there; whoever cannot keep up is let go and brought back in the same way. So nothing is lost or repeated.
 */
export class EventHub {
  readonly #parts: EventHubParts;
  readonly #joined = new FollowerGroups();
  readonly #coming = new Set<EventFollower>();
  readonly #stopping = new AbortController();
  #followers = 0;
  /** After all that was handed out; null before the first read, and where the way from there is lost. */
  #cursor: string | null = null;
  /** Whether the cursor is that of a finished read, where one can join. */
  #isAtPlace = false;
  #isWayLost = false;
  #timeouts = 0;
  /** All that was committed by then has been handed out; null while nobody follows. */
  #allReadAtMs: number | null = null;
  #sleeping: AbortController | null = null;
  #polling: Promise<void> | null = null;

  constructor(parts: EventHubParts) {
    this.#parts = parts;
    // Every follower listens; Node's warning is for listeners that are never removed.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** From now on, or from a cursor on; waits for more until the signal aborts or the hub stops. */
  async *follow(
    scope: EventScope,
    after: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent, void, undefined> {
    const ended = new AbortController();
    const end = () => ended.abort();
    const sources = [signal, this.#stopping.signal];
    for (const source of sources) source.addEventListener("abort", end);
    if (sources.some(({ aborted }) => aborted)) end();
    let cursor = after;
    this.#followers += 1;
    try {
      while (!ended.signal.aborted) {
        for await (const given of this.#followUntilMissed(scope, cursor, ended.signal)) {
          cursor = given.cursor;
          yield given;
        }
      }
    } finally {
      this.#followers -= 1;
      if (this.#followers === 0) this.#sleeping?.abort();
      for (const source of sources) source.removeEventListener("abort", end);
    }
  }

  /**
   * How far those who follow stand behind the log; null while nobody does. No open transaction holds back what others have
   * committed, so that there is nothing to ask the database: behind is whoever reads late.
   */
  lagMs(): number | null {
    return this.#allReadAtMs === null ? null : this.#parts.clock.monotonicMs() - this.#allReadAtMs;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#sleeping?.abort();
    await this.#polling;
  }

  /** Ends when something was left out: one comes back with the cursor of what was given last. */
  async *#followUntilMissed(
    scope: EventScope,
    after: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent, void, undefined> {
    const { clock } = this.#parts;
    const follower = new EventFollower(scope, after === null);
    try {
      this.#come(follower);
      while (follower.place === null && !signal.aborted) await follower.sleep(clock, placeMs, signal);
      if (follower.place === null) return;
      yield* this.#between(scope, after, follower.place, signal);
      let told = follower.place;
      while (!signal.aborted && !follower.hasMissed) {
        for (let given = follower.take(); given !== null; given = follower.take()) {
          if (signal.aborted) return;
          yield given;
        }
        if (follower.isIdle) await follower.sleep(clock, placeMs, signal);
        // Also those for whom nothing comes learn how far they are, or they would come back from far behind.
        if (follower.isIdle && this.#cursor !== null && this.#cursor !== told) {
          told = this.#cursor;
          yield { kind: "place", cursor: told };
        }
      }
    } finally {
      this.#coming.delete(follower);
      this.#joined.delete(follower);
    }
  }

  /** What lies between a cursor and the place where a follower has joined, and that place. */
  async *#between(
    scope: EventScope,
    after: string | null,
    place: string,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent, void, undefined> {
    let cursor = after;
    while (cursor !== null && !signal.aborted) {
      const page = await this.#readUntil(scope, cursor, place, signal);
      if (page === "no way") {
        yield { kind: "reset", cursor: place };
        return;
      }
      for (const event of withoutOvertakenProgress(page?.events ?? [])) {
        if (signal.aborted) return;
        if (event.kind === "events.reset") yield { kind: "reset", cursor: event.cursor };
        else yield { kind: "job", cursor: event.cursor, event };
      }
      if (page !== null) cursor = page.isAll ? null : page.cursor;
    }
    if (!signal.aborted) yield { kind: "place", cursor: place };
  }

  /** Null in an outage, after a pause. */
  async #readUntil(
    scope: EventScope,
    after: string,
    until: string,
    signal: AbortSignal,
  ): Promise<EventPage | "no way" | null> {
    try {
      return await this.#parts.reader.events({ ...scope, after, until, limit: catchUpSize });
    } catch (error) {
      // A cursor of another database, an invalid one, or one too far behind: nothing leads from there to here.
      if (error instanceof RefusedError || error instanceof StatementTimeoutError) return "no way";
      if (!(error instanceof DatabaseUnavailableError) || error.isFinal) throw error;
      await this.#parts.clock.sleep(outageMs, signal);
      return null;
    }
  }

  #come(follower: EventFollower): void {
    if (follower.takesAnyPlace && this.#isAtPlace && this.#cursor !== null) {
      this.#join(follower, this.#cursor);
    } else {
      this.#coming.add(follower);
    }
    this.#polling ??= this.#pollWhileSomebodyFollows();
  }

  #join(follower: EventFollower, place: string): void {
    this.#coming.delete(follower);
    this.#joined.add(follower);
    follower.join(place);
  }

  async #pollWhileSomebodyFollows(): Promise<void> {
    this.#allReadAtMs = this.#parts.clock.monotonicMs();
    while (this.#followers > 0 && !this.#stopping.signal.aborted) {
      const pauseMs = await this.#read();
      this.#sleeping = new AbortController();
      // It may have been ended before it began.
      if (pauseMs > 0 && this.#followers > 0 && !this.#stopping.signal.aborted) {
        await this.#parts.clock.sleep(pauseMs, this.#sleeping.signal);
      }
      this.#sleeping = null;
    }
    this.#cursor = null;
    this.#isAtPlace = false;
    this.#allReadAtMs = null;
    this.#polling = null;
  }

  /** One page for all; says how long to wait with the next. */
  async #read(): Promise<number> {
    // A cursor of another server may be further on than this one was: its place must be reached after it came.
    const coming = [...this.#coming];
    const beganAtMs = this.#parts.clock.monotonicMs();
    let page: EventPage;
    try {
      page = await this.#parts.reader.events({ after: this.#cursor, limit: pageSize });
    } catch (error) {
      // Any other error is an outage, of which the pool tells: the next read begins at the same place.
      this.#timeouts = error instanceof StatementTimeoutError ? this.#timeouts + 1 : 0;
      if (this.#cursor !== null && (error instanceof RefusedError || this.#timeouts === patience)) {
        this.#cursor = null;
        this.#isAtPlace = false;
        this.#isWayLost = true;
      }
      return outageMs;
    }
    this.#timeouts = 0;
    for (const event of withoutOvertakenProgress(page.events)) {
      if (event.kind === "events.reset") this.#joined.reset(event.cursor);
      else this.#joined.give(event);
    }
    this.#cursor = page.cursor;
    this.#isAtPlace = page.isAll;
    if (!page.isAll) return 0;
    this.#allReadAtMs = beganAtMs;
    if (this.#isWayLost) this.#joined.reset(page.cursor);
    this.#isWayLost = false;
    for (const follower of coming) if (this.#coming.has(follower)) this.#join(follower, page.cursor);
    for (const follower of this.#coming) if (follower.takesAnyPlace) this.#join(follower, page.cursor);
    return intervalMs;
  }
}
