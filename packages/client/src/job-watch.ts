import type { ClientClock } from "./client-clock.ts";
import type { LockstepClient } from "./create-client.ts";
import type { JobAnswer } from "./job-answer.ts";
import type { LiveJobEvent, LiveMessage } from "./live-message.ts";
import type { SharedEvents } from "./shared-events.ts";

export interface JobWatchParts {
  readonly client: Pick<LockstepClient, "job">;
  readonly events: Pick<SharedEvents, "subscribe" | "onStatus" | "status">;
  readonly clock: ClientClock;
  /** Called when somebody begins to look at it. */
  readonly onBegin?: (() => void) | undefined;
}

/** A job as it was last heard of. */
export interface WatchedJob {
  /** Null until it has come, and when there is none that may be seen. */
  readonly job: JobAnswer | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

// For jobs that leave no events: those without an owner, of pipelines that do not ask for them.
const unaskedMs = 15_000;
const finished: readonly string[] = ["completed", "failed", "cancelled"];

/** Keeps one job up to date, while anybody looks at it. */
export class JobWatch {
  readonly #id: string;
  readonly #parts: JobWatchParts;
  readonly #listeners = new Set<() => void>();
  #state: WatchedJob = { job: null, isLoading: true, error: null };
  #ended: AbortController | null = null;
  #isReading = false;
  #isStale = false;

  constructor(id: string, parts: JobWatchParts) {
    this.#id = id;
    this.#parts = parts;
    this.subscribe = this.subscribe.bind(this);
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  get state(): WatchedJob {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#ended === null) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#ended?.abort();
      this.#ended = null;
    };
  }

  #begin(): void {
    const { events } = this.#parts;
    const ended = new AbortController();
    this.#ended = ended;
    this.#parts.onBegin?.();
    let wasLive = events.status.state === "live";
    const leave = [
      events.subscribe((message) => this.#hear(message)),
      events.onStatus(() => {
        const isLive = events.status.state === "live";
        // No event tells what happened before the stream had its place.
        if (isLive && !wasLive) void this.#read();
        wasLive = isLive;
      }),
    ];
    ended.signal.addEventListener("abort", () => {
      for (const end of leave) end();
    });
    void this.#read();
    void this.#readUnasked(ended.signal);
  }

  #hear(message: LiveMessage): void {
    if (message.type === "reset") void this.#read();
    if (message.type !== "job" || message.event.jobId !== this.#id) return;
    const { job } = this.#state;
    if (message.event.kind !== "job.progress" || job === null) void this.#read();
    else this.#tell({ ...this.#state, job: withProgress(job, message.event) });
  }

  /** One at a time: what changes during a read is read once more after it. */
  async #read(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    for (let ended = this.#ended; this.#isStale && ended !== null; ended = this.#ended) {
      this.#isStale = false;
      try {
        const job = await this.#parts.client.job(this.#id, { signal: ended.signal });
        this.#tell({ job, isLoading: false, error: null });
      } catch (error) {
        if (!ended.signal.aborted) this.#tell({ ...this.#state, isLoading: false, error });
      }
    }
    this.#isReading = false;
  }

  async #readUnasked(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.#parts.clock.sleep(unaskedMs, ended);
      const { job } = this.#state;
      if (!ended.aborted && (job === null || !finished.includes(job.status))) await this.#read();
    }
  }

  #tell(state: WatchedJob): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

function withProgress(job: JobAnswer, { detail, stage }: LiveJobEvent): JobAnswer {
  const { percent = 0, note = null, data = null } = detail;
  return { ...job, stage, progress: { percent, note, data } };
}
