import type { Engine } from "lockstep";
import type { EntryStore } from "./database/entry-store.ts";
import { openEntryStore } from "./database/open-entry-store.ts";
import { type EntriesConfig, readEntriesConfig } from "./entries-config.ts";
import { createEngine } from "./native-packages.ts";
import { processEntry } from "./process-entry.ts";
import { followFailures } from "./services/failure-follower.ts";

/** What one process of the application has: its tables, its engine, and whether it works. */
export class EntriesProcess {
  readonly config: EntriesConfig;
  readonly store: EntryStore;
  readonly engine: Engine;
  readonly #stopping = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(config: EntriesConfig) {
    this.config = config;
    this.store = openEntryStore(config);
    const pipeline = processEntry(() => ({ store: this.store, stageWorkMs: config.stageWorkMs }));
    this.engine = createEngine({
      databaseUrl: config.databaseUrl,
      pipelines: [pipeline],
      tokenSecret: config.tokenSecret,
    });
  }

  /** Makes this process a worker, beside whatever else it does. */
  async work(): Promise<void> {
    await this.engine.start();
    this.follow();
  }

  /** Writes the ends that no stage sees. Whoever works for it may know nothing of entries, such as `lockstep dev`. */
  follow(): void {
    this.#following = followFailures(this, this.#stopping.signal);
  }

  /** Gives running stages the time to end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.engine.stop();
    await this.#following.catch(() => undefined);
    await this.store.close();
  }
}

const key = Symbol.for("the process of entries");

/** The one of this process. Next bundles each route apart, and again at every change, so a module's variable would not do. */
export function entriesProcess(): EntriesProcess {
  const place = globalThis as { [key]?: EntriesProcess };
  place[key] ??= new EntriesProcess(readEntriesConfig());
  return place[key];
}
