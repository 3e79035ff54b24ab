import type { Clock } from "../../clock.ts";
import type { LoggedEvent } from "../../jobs/reading/job-event.ts";
import type { EventFilter } from "../../store/reading/event-store.ts";

/** A reader of the realtime log that sleeps until it is told of an event that it wants. */
export class EventWatch {
  readonly #filter: EventFilter;
  #isTold = false;
  #sleeping: AbortController | null = null;

  constructor(filter: EventFilter) {
    this.#filter = filter;
  }

  /** Forgets what it was told. Call it before looking, so that no news during the look is missed. */
  reset(): void {
    this.#isTold = false;
  }

  tell(): void {
    this.#isTold = true;
    this.#sleeping?.abort();
  }

  hear(event: LoggedEvent): void {
    if (!this.#isTold && this.#wants(event)) this.tell();
  }

  /** Ends when it was told since the reset, with the signal, or when the time is over. */
  async sleep(clock: Clock, mostMs: number, signal: AbortSignal): Promise<void> {
    if (this.#isTold || signal.aborted) return;
    const sleeping = new AbortController();
    const end = () => sleeping.abort();
    this.#sleeping = sleeping;
    signal.addEventListener("abort", end);
    await clock.sleep(mostMs, sleeping.signal);
    signal.removeEventListener("abort", end);
    this.#sleeping = null;
  }

  #wants(event: LoggedEvent): boolean {
    if (event.kind === "events.reset") return true;
    const { owner, pipeline, jobId } = this.#filter;
    return (
      (owner === null || owner === event.owner) &&
      (pipeline === null || pipeline === event.pipeline) &&
      (jobId === null || jobId === event.jobId)
    );
  }
}
