import { clientClock } from "../client/client-clock.ts";
import type { LockstepClient } from "../client/create-client.ts";
import { JobWatch } from "../client/job-watch.ts";
import type { LiveQuery } from "../client/live-query.ts";
import { SharedEvents } from "../client/shared-events.ts";

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
    const watch = new JobWatch(id, { client: this.#client, events: this.events, clock: clientClock });
    this.#jobs.set(id, watch);
    return watch;
  }
}
