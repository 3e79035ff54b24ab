import type { Clock } from "../../clock.ts";
import type { LoggedEvent } from "../../jobs/reading/job-event.ts";
import type { TokenScope } from "../../jobs/reading/owner-token.ts";
import {
  checkReadEventsOptions,
  ReadEventsOptionError,
  type ReadEventsOptions,
} from "../../jobs/reading/read-events-options.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { EventFilter, EventPage, EventStore } from "../../store/reading/event-store.ts";
import { checkedJobId } from "./checked-job-id.ts";
import type { EventTail } from "./event-tail.ts";

export interface EventReaderParts {
  readonly store: Pick<EventStore, "read">;
  readonly clock: Clock;
  readonly tail: Pick<EventTail, "join" | "leave">;
  /** What a token opens; throws when it is not genuine, or over. */
  readonly scopeOf: (token: string) => TokenScope;
  /** The engine's end. */
  readonly stopping: AbortSignal;
}

const pageSize = 500;
// The tail tells at once; this is for what it might miss, and for tokens that end.
const unaskedMs = 10_000;
const outageMs = 1_000;

/** Follows the realtime log: event after event, waiting at its end for more, until its signal or the engine ends it. */
export class EventReader {
  readonly #parts: EventReaderParts;

  constructor(parts: EventReaderParts) {
    this.#parts = parts;
  }

  /** Refuses wrong options at the call, not at the first event. */
  read(options: ReadEventsOptions): AsyncGenerator<LoggedEvent, void, undefined> {
    checkReadEventsOptions(options);
    const { owner, token, pipeline, jobId, after, signal } = options;
    const scope = token === undefined ? null : this.#parts.scopeOf(token);
    const askedJobId = jobId === undefined ? null : checkedJobId(jobId);
    if (scope !== null && scope.jobId !== null && askedJobId !== null && scope.jobId !== askedJobId) {
      throw new ReadEventsOptionError(`This token opens job ${scope.jobId}, not job ${askedJobId}.`);
    }
    const filter: EventFilter = {
      owner: scope === null ? (owner ?? null) : scope.owner,
      pipeline: typeof pipeline === "object" ? pipeline.name : (pipeline ?? null),
      jobId: scope?.jobId ?? askedJobId,
    };
    return this.#follow(filter, token ?? null, after ?? null, signal ?? null);
  }

  async *#follow(
    filter: EventFilter,
    token: string | null,
    after: string | null,
    signal: AbortSignal | null,
  ): AsyncGenerator<LoggedEvent, void, undefined> {
    const { clock, tail, stopping, scopeOf } = this.#parts;
    const ended = new AbortController();
    const end = () => ended.abort();
    const sources = signal === null ? [stopping] : [stopping, signal];
    for (const source of sources) source.addEventListener("abort", end);
    if (sources.some((source) => source.aborted)) end();
    const watch = tail.join(filter);
    let cursor = after;
    try {
      while (!ended.signal.aborted) {
        watch.reset();
        const page = await this.#readPatiently(cursor, filter, ended.signal);
        for (const event of page?.events ?? []) {
          if (ended.signal.aborted) return;
          // At each event: between two of them its reader may take its time.
          if (token !== null) scopeOf(token);
          yield event;
        }
        if (page === null) return;
        cursor = page.cursor;
        if (page.isAll) await watch.sleep(clock, unaskedMs, ended.signal);
        if (token !== null) scopeOf(token);
      }
    } finally {
      tail.leave(watch);
      for (const source of sources) source.removeEventListener("abort", end);
    }
  }

  /** Null if the reading has ended meanwhile. Waits through an outage; a refusal is thrown. */
  async #readPatiently(
    cursor: string | null,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<EventPage | null> {
    while (!signal.aborted) {
      try {
        return await this.#parts.store.read(cursor, filter, pageSize);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal) {
          if (signal.aborted) return null;
          throw error;
        }
        await this.#parts.clock.sleep(outageMs, signal);
      }
    }
    return null;
  }
}
