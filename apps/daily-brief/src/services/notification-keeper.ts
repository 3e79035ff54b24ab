import { setTimeout as wait } from "node:timers/promises";
import type { Engine } from "lockstep";
import type { NotificationStore } from "../store/notification-store.ts";
import { notificationOf } from "./notification-of.ts";

const retryMs = 1_000;

/** Follows the log of all jobs and keeps what people are to be told, whether they are there or not. */
export class NotificationKeeper {
  readonly #engine: Pick<Engine, "readEvents">;
  readonly #store: NotificationStore;
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #stopping = new AbortController();
  #following: Promise<void> | null = null;

  constructor(engine: Pick<Engine, "readEvents">, store: NotificationStore) {
    this.#engine = engine;
    this.#store = store;
  }

  /** Aborts when it stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#following ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  /** Calls `look` whenever there may be something new for this person; answers with how to end that. */
  watch(personId: string, look: () => void): () => void {
    const looking = this.#watchers.get(personId) ?? new Set();
    this.#watchers.set(personId, looking.add(look));
    return () => {
      looking.delete(look);
      if (looking.size === 0 && this.#watchers.get(personId) === looking) this.#watchers.delete(personId);
    };
  }

  /** The person's streams look at once: there may be something new, or they may no longer be open to this browser. */
  wake(personId: string): void {
    for (const look of this.#watchers.get(personId) ?? []) look();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#read();
      } catch {
        // The database is away: what happens meanwhile is in the log.
        await wait(retryMs, null, { signal }).catch(() => {});
      }
    }
  }

  async #read(): Promise<void> {
    const after = await this.#store.cursor();
    for await (const event of this.#engine.readEvents({ after, signal: this.signal })) {
      if (event.kind === "events.reset" || event.owner === null) continue;
      const notification = notificationOf(event);
      if (notification === null) continue;
      const { owner: personId, jobId, at: happenedAt, cursor } = event;
      await this.#store.keep({ ...notification, personId, jobId, happenedAt }, cursor);
      this.wake(personId);
    }
  }
}
