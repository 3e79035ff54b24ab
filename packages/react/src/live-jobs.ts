import type { LiveQuery, LockstepClient, SignalledAnswer } from "@lockstep/client";
import { clientClock, JobWatch, SharedEvents } from "@lockstep/client/internal";

// So that a component that comes back shows its last state at once; of thousands of jobs the first are forgotten.
const mostUnwatched = 100;

/** What the hooks under one provider share: a stream, and the jobs that are looked at. */
export class LiveJobs {
  readonly events: SharedEvents;
  readonly #client: LockstepClient;
  readonly #jobs = new Map<string, JobWatch>();

  constructor(client: LockstepClient, query: LiveQuery & { readonly pauseWhenHidden?: boolean }) {
    this.#client = client;
    this.events = new SharedEvents({ client, query, clock: clientClock });
  }

  /** The same for all who look at the same job. */
  job(id: string): JobWatch {
    const known = this.#jobs.get(id);
    if (known !== undefined) return known;
    const watch = new JobWatch(id, {
      client: this.#client,
      events: this.events,
      clock: clientClock,
      // It may have been forgotten since its first render.
      onBegin: () => this.#keep(id, watch),
    });
    this.#keep(id, watch);
    return watch;
  }

  signal(id: string, name: string, value?: unknown): Promise<SignalledAnswer> {
    return this.#client.signal(id, name, value);
  }

  #keep(id: string, watch: JobWatch): void {
    this.#jobs.delete(id);
    this.#jobs.set(id, watch);
    const unwatched = [...this.#jobs].filter(([, { isWatched }]) => !isWatched);
    for (const [oldest] of unwatched.slice(0, -mostUnwatched)) this.#jobs.delete(oldest);
  }
}
