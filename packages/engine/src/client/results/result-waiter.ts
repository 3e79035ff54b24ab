import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { JobError } from "../../jobs/reading/job.ts";
import type { FinishedResult, JobStore } from "../../store/reading/job-store.ts";
import { checkedJobId } from "../reading/checked-job-id.ts";
import {
  JobCancelledError,
  JobFailedError,
  JobUnknownError,
  ResultTimeoutError,
  WaitingStoppedError,
} from "./result-errors.ts";
import { UnknownJobs } from "./unknown-jobs.ts";

export interface ResultWaiterParts {
  readonly store: Pick<JobStore, "finishedResults" | "unknownJobs">;
  readonly clock: Clock;
  readonly events: Pick<EngineEvents, "on">;
}

interface Waiter {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const idsPerCall = 500;
const shortestPollMs = 25;
const longestPollMs = 500;
const busyAfterMs = 20;
// Rows may be written by hand.
const unknownError: JobError = { name: "Error", message: "no error is recorded" };

/** Waits for jobs to finish, wherever they run: one poll for all waiters, and none while there are none. */
export class ResultWaiter {
  readonly #parts: ResultWaiterParts;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #unknown: UnknownJobs;
  #pollMs = shortestPollMs;
  #sleeping: AbortController | null = null;
  #polling: Promise<void> | null = null;
  #isWoken = false;
  readonly #stopping = new AbortController();

  constructor(parts: ResultWaiterParts) {
    this.#parts = parts;
    this.#unknown = new UnknownJobs(parts);
  }

  /** The result of a job, or the error that says why there is none. Null waits without a limit. */
  async wait(jobId: string, { timeoutMs }: { timeoutMs: number | null }): Promise<unknown> {
    // One id that PostgreSQL cannot read would spoil the poll for all.
    const id = checkedJobId(jobId);
    if (this.#stopping.signal.aborted) throw new WaitingStoppedError(id);
    const over = new AbortController();
    let waiter: Waiter | undefined;
    try {
      return await new Promise((resolve, reject) => {
        waiter = { resolve, reject };
        this.#enter(id, waiter);
        if (timeoutMs === null) return;
        void this.#parts.clock.sleep(timeoutMs, over.signal).then(() => {
          reject(new ResultTimeoutError(id, timeoutMs, this.#unknown.isKnown(id)));
        });
      });
    } finally {
      over.abort();
      if (waiter !== undefined) this.#leave(id, waiter);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const [id, waiters] of this.#waiters) {
      for (const { reject } of waiters) reject(new WaitingStoppedError(id));
    }
    this.#waiters.clear();
    this.#sleeping?.abort();
    await this.#polling;
  }

  #enter(id: string, waiter: Waiter): void {
    const others = this.#waiters.get(id);
    if (others === undefined) this.#waiters.set(id, new Set([waiter]));
    else others.add(waiter);
    this.#unknown.enter(id);
    this.#pollSoon();
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(id);
    if (!this.#waiters.has(id)) this.#unknown.leave(id);
    if (this.#waiters.size === 0) this.#sleeping?.abort();
  }

  #pollSoon(): void {
    // A poll under way may have been too early for whoever this is for.
    this.#isWoken = true;
    this.#pollMs = shortestPollMs;
    this.#sleeping?.abort();
    this.#polling ??= this.#pollWhileSomebodyWaits();
  }

  /** What this process hears of a job's end is a hint to look. Returns the function that ends the listening. */
  #listen(): () => void {
    const endings = (["job.completed", "job.failed", "job.cancelled"] as const).map((name) =>
      this.#parts.events.on(name, ({ jobId }) => {
        if (this.#waiters.has(jobId)) this.#pollSoon();
      }),
    );
    return () => {
      for (const end of endings) end();
    };
  }

  async #pollWhileSomebodyWaits(): Promise<void> {
    const { clock } = this.#parts;
    // Not while nobody waits: a listener costs every job of a worker an event.
    const stopListening = this.#listen();
    while (this.#waiters.size > 0) {
      // Waiters that come together are asked for in one call.
      await new Promise((resolve) => setImmediate(resolve));
      this.#isWoken = false;
      const beganAtMs = clock.monotonicMs();
      if (await this.#poll()) this.#pollMs = shortestPollMs;
      const tookMs = clock.monotonicMs() - beganAtMs;
      // With thousands of waiters a poll is slow: it rests for as long, so that the database has half of the time.
      if (tookMs > busyAfterMs) await clock.sleep(tookMs, this.#stopping.signal);
      if (this.#isWoken || this.#waiters.size === 0) continue;
      this.#sleeping = new AbortController();
      await clock.sleep(this.#pollMs, this.#sleeping.signal);
      this.#sleeping = null;
      if (!this.#isWoken) this.#pollMs = Math.min(longestPollMs, this.#pollMs * 1.5);
    }
    stopListening();
    this.#polling = null;
  }

  /** Whether any of them is finished. An outage is not told: each waiter has its own timeout. */
  async #poll(): Promise<boolean> {
    let isAnyFinished = false;
    const ids = [...this.#waiters.keys()];
    for (let start = 0; start < ids.length; start += idsPerCall) {
      try {
        const asked = ids.slice(start, start + idsPerCall);
        const finished = await this.#parts.store.finishedResults(asked);
        for (const job of finished) this.#settle(job);
        isAnyFinished ||= finished.length > 0;
        const waited = asked.filter((id) => this.#waiters.has(id));
        for (const id of await this.#unknown.find(waited)) this.#refuse(id);
      } catch {
        return isAnyFinished;
      }
    }
    return isAnyFinished;
  }

  #refuse(id: string): void {
    const waiters = this.#waiters.get(id) ?? [];
    this.#waiters.delete(id);
    for (const { reject } of waiters) reject(new JobUnknownError(id));
  }

  #settle(job: FinishedResult): void {
    const waiters = this.#waiters.get(job.id) ?? [];
    this.#waiters.delete(job.id);
    for (const { resolve, reject } of waiters) {
      if (job.status === "completed") resolve(job.result);
      else if (job.status === "cancelled") reject(new JobCancelledError(job.id));
      else reject(new JobFailedError(job.id, (job.error ?? unknownError) as JobError));
    }
  }
}
