import type { Clock, JobEvent } from "lockstep";
import type { EventScope } from "./event-scope.ts";
import type { FollowedEvent } from "./followed-event.ts";

// With what the stream itself holds, at most 64 KiB wait for one client.
const mostBytes = 48 * 1_024;

/** One who follows the log through the hub: what waits for it, and no more of it than fits. */
export class EventFollower {
  readonly scope: EventScope;
  /** Any place will do, since it comes without a cursor; otherwise it must be one that was reached after it came. */
  readonly takesAnyPlace: boolean;
  #waiting: { readonly given: FollowedEvent; readonly bytes: number }[] = [];
  #bytes = 0;
  #isFull = false;
  #place: string | null = null;
  #sleeping: AbortController | null = null;

  constructor(scope: EventScope, takesAnyPlace: boolean) {
    this.scope = scope;
    this.takesAnyPlace = takesAnyPlace;
  }

  /** Where it has joined the hub; null as long as it has not. */
  get place(): string | null {
    return this.#place;
  }

  /** Nothing waits, and nothing was left out. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && !this.#isFull;
  }

  /** Something was left out after all that it has taken. */
  get hasMissed(): boolean {
    return this.#waiting.length === 0 && this.#isFull;
  }

  /** From here on it is given what the hub reads. */
  join(place: string): void {
    this.#place = place;
    this.#sleeping?.abort();
  }

  give(event: JobEvent, bytes: number): void {
    // What follows a gap would hide it: after the first that does not fit it takes no more, and reads for itself.
    this.#isFull ||= this.#bytes + bytes > mostBytes && this.#waiting.length > 0;
    if (!this.#isFull) this.#push({ kind: "job", cursor: event.cursor, event }, bytes);
    this.#sleeping?.abort();
  }

  /** What it still waits for cannot be had; it goes on from this place. */
  reset(place: string): void {
    this.#waiting = [];
    this.#bytes = 0;
    this.#isFull = false;
    this.#push({ kind: "reset", cursor: place }, 0);
    this.#sleeping?.abort();
  }

  /** The next that waits. */
  take(): FollowedEvent | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    this.#bytes -= next.bytes;
    return next.given;
  }

  /** Ends when there is something to take, a place to begin at, with the signal, or when the time is over. */
  async sleep(clock: Clock, mostMs: number, signal: AbortSignal): Promise<void> {
    if (!this.isIdle || signal.aborted) return;
    const sleeping = new AbortController();
    const end = () => sleeping.abort();
    this.#sleeping = sleeping;
    signal.addEventListener("abort", end);
    await clock.sleep(mostMs, sleeping.signal);
    signal.removeEventListener("abort", end);
    this.#sleeping = null;
  }

  #push(given: FollowedEvent, bytes: number): void {
    this.#waiting.push({ given, bytes });
    this.#bytes += bytes;
  }
}
