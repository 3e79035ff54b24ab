import type { LiveQuery, LockstepClient, SignalledAnswer } from "@lockstep/client";
import { clientClock, JobWatch, SharedEvents, StreamWatch } from "@lockstep/client/internal";

// So that a component that comes back shows its last state at once; of thousands of jobs the first are forgotten.
const mostUnwatched = 100;

/** What the hooks under one provider share: a stream, and the jobs that are looked at. */
export class LiveJobs {
  readonly events: SharedEvents;
  readonly #client: LockstepClient;
  readonly #pauseWhenHidden: boolean;
  readonly #jobs = new Map<string, JobWatch>();
  readonly #streams = new Map<string, StreamWatch>();

  constructor(client: LockstepClient, query: LiveQuery & { readonly pauseWhenHidden?: boolean }) {
    this.#client = client;
    this.#pauseWhenHidden = query.pauseWhenHidden ?? false;
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
      onBegin: () => keep(this.#jobs, id, watch),
    });
    keep(this.#jobs, id, watch);
    return watch;
  }

  /** The same for all who look at the same stream. */
  stream(id: string, name: string): StreamWatch {
    const key = `${id} ${name}`;
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const watch = new StreamWatch(id, name, {
      client: this.#client,
      pauseWhenHidden: this.#pauseWhenHidden,
      onBegin: () => keep(this.#streams, key, watch),
    });
    keep(this.#streams, key, watch);
    return watch;
  }

  signal(id: string, name: string, value?: unknown): Promise<SignalledAnswer> {
    return this.#client.signal(id, name, value);
  }
}

function keep<Watch extends { readonly isWatched: boolean }>(
  watches: Map<string, Watch>,
  key: string,
  watch: Watch,
): void {
  watches.delete(key);
  watches.set(key, watch);
  const unwatched = [...watches].filter(([, { isWatched }]) => !isWatched);
  for (const [oldest] of unwatched.slice(0, -mostUnwatched)) watches.delete(oldest);
}
