import type { Clock, JobFilter } from "lockstep";
import type { ListWatch } from "./list-watch.ts";

export type StateTopic = "stats" | "workers" | "rows" | "list";

/** What the sampler reads; each is one statement. */
export interface SampledReads {
  stats(): Promise<unknown>;
  workers(): Promise<unknown>;
  rows(ids: readonly string[]): Promise<readonly { readonly id: string }[]>;
  /** The ids of the newest jobs that fit. */
  newest(filter: JobFilter): Promise<readonly string[]>;
}

/** A screen that somebody looks at. */
export interface Screen {
  readonly topics: ReadonlySet<StateTopic>;
  readonly watch: readonly string[];
  readonly list: ListWatch | null;
  send(topic: StateTopic, data: string): void;
}

export interface SamplerParts {
  readonly reads: SampledReads;
  readonly clock: Clock;
}

const usualMs = 1_000;
const longestMs = 16_000;
const slowTickMs = 200;
const ticksPerList = 3;
const listsPerTick = 20;
const rowsPerRead = 100;

/**
 * Reads states once for all screens of this process, only while there are any, and sends each what has changed on it. When
 * its reads take the database long, it reads half as often.
 */
export class Sampler {
  readonly #parts: SamplerParts;
  /** Each with what it was sent last, by topic or by the id of a row. */
  readonly #screens = new Map<Screen, Map<string, string>>();
  readonly #latest = new Map<StateTopic, string>();
  #isStopping = false;
  #intervalMs = usualMs;
  #ticks = 0;
  #listsRead = 0;
  #sleeping: AbortController | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
  }

  /** Takes the screen away when called. */
  add(screen: Screen): () => void {
    const { topics } = screen;
    if (topics.size === 0 || this.#isStopping) return () => undefined;
    this.#screens.set(screen, new Map());
    // What was read for others: a new screen does not make the sampler read more often.
    for (const [topic, data] of this.#latest) if (topics.has(topic)) this.#sendIfNew(screen, topic, data);
    this.#running ??= this.#run();
    return () => {
      this.#screens.delete(screen);
      if (this.#screens.size === 0) this.#sleeping?.abort();
    };
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#sleeping?.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock } = this.#parts;
    while (this.#screens.size > 0 && !this.#isStopping) {
      const beganAtMs = clock.monotonicMs();
      // An outage is told by the pool; what is on the screens stays until it is over.
      await this.#tick().catch(() => undefined);
      const isSlow = clock.monotonicMs() - beganAtMs > slowTickMs;
      this.#intervalMs = isSlow
        ? Math.min(longestMs, this.#intervalMs * 2)
        : Math.max(usualMs, this.#intervalMs / 2);
      this.#sleeping = new AbortController();
      // It may have been ended before it began.
      if (this.#screens.size > 0 && !this.#isStopping) {
        await clock.sleep(this.#intervalMs, this.#sleeping.signal);
      }
      this.#sleeping = null;
    }
    this.#latest.clear();
    this.#running = null;
  }

  async #tick(): Promise<void> {
    const { reads } = this.#parts;
    const isForLists = this.#ticks % ticksPerList === 0;
    this.#ticks += 1;
    if (this.#isWanted("stats")) this.#spread("stats", await reads.stats());
    if (this.#isWanted("workers")) this.#spread("workers", await reads.workers());
    if (this.#isWanted("rows")) await this.#readRows();
    if (isForLists && this.#isWanted("list")) await this.#readLists();
  }

  #spread(topic: StateTopic, state: unknown): void {
    const data = JSON.stringify(state);
    this.#latest.set(topic, data);
    for (const screen of this.#screens.keys()) {
      if (screen.topics.has(topic)) this.#sendIfNew(screen, topic, data);
    }
  }

  async #readRows(): Promise<void> {
    const ids = [...new Set([...this.#screens.keys()].flatMap(({ watch }) => watch))];
    const rows = new Map<string, string>();
    for (let from = 0; from < ids.length; from += rowsPerRead) {
      const read = await this.#parts.reads.rows(ids.slice(from, from + rowsPerRead));
      for (const row of read) rows.set(row.id, JSON.stringify(row));
    }
    for (const [screen, sent] of this.#screens) {
      const changed = screen.watch.flatMap((id) => {
        const row = rows.get(id);
        return row === undefined || sent.get(id) === row ? [] : [[id, row] as const];
      });
      if (changed.length === 0) continue;
      for (const [id, row] of changed) sent.set(id, row);
      screen.send("rows", `[${changed.map(([, row]) => row).join(",")}]`);
    }
  }

  /** Each distinct filter once; where there are very many, they take turns. */
  async #readLists(): Promise<void> {
    const filters = new Map<string, JobFilter>();
    for (const { list } of this.#screens.keys()) if (list !== null) filters.set(list.key, list.filter);
    const all = [...filters];
    const from = all.length > listsPerTick ? this.#listsRead % all.length : 0;
    const now = [...all.slice(from), ...all.slice(0, from)].slice(0, listsPerTick);
    this.#listsRead += now.length;
    for (const [key, filter] of now) {
      const newest = await this.#parts.reads.newest(filter);
      for (const screen of this.#screens.keys()) {
        if (screen.list?.key !== key) continue;
        this.#sendIfNew(screen, "list", JSON.stringify({ newCount: screen.list.newCount(newest) }));
      }
    }
  }

  #isWanted(topic: StateTopic): boolean {
    for (const { topics } of this.#screens.keys()) if (topics.has(topic)) return true;
    return false;
  }

  #sendIfNew(screen: Screen, topic: StateTopic, data: string): void {
    const sent = this.#screens.get(screen);
    if (sent === undefined || sent.get(topic) === data) return;
    sent.set(topic, data);
    screen.send(topic, data);
  }
}
