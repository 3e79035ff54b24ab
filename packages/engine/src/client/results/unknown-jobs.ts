import type { Clock } from "../../clock.ts";
import type { JobStore } from "../../store/reading/job-store.ts";

export interface UnknownJobsParts {
  readonly store: Pick<JobStore, "unknownJobs">;
  readonly clock: Clock;
}

interface Look {
  readonly enteredAtMs: number;
  /** Null: nobody has looked yet. */
  isKnown: boolean | null;
  /** The first transaction that had not begun when it was first missing. */
  missingBefore: bigint | null;
}

// By then most jobs that somebody waits for have ended, and need no look.
const firstLookMs = 250;
// An id may be given away before its job is added, but not long before.
const graceMs = 5_000;

/** Finds out which of the jobs that somebody waits for were never added, or are past their retention. */
export class UnknownJobs {
  readonly #parts: UnknownJobsParts;
  readonly #looks = new Map<string, Look>();

  constructor(parts: UnknownJobsParts) {
    this.#parts = parts;
  }

  enter(id: string): void {
    if (this.#looks.has(id)) return;
    this.#looks.set(id, {
      enteredAtMs: this.#parts.clock.monotonicMs(),
      isKnown: null,
      missingBefore: null,
    });
  }

  leave(id: string): void {
    this.#looks.delete(id);
  }

  isKnown(id: string): boolean | null {
    return this.#looks.get(id)?.isKnown ?? null;
  }

  /** Those that certainly do not exist: nobody can be about to add them either. */
  async find(ids: readonly string[]): Promise<string[]> {
    const nowMs = this.#parts.clock.monotonicMs();
    const asked = ids.filter((id) => {
      const look = this.#looks.get(id);
      return look !== undefined && look.isKnown !== true && nowMs - look.enteredAtMs >= firstLookMs;
    });
    if (asked.length === 0) return [];
    const missing = new Map((await this.#parts.store.unknownJobs(asked)).map((job) => [job.id, job]));
    return asked.filter((id) => {
      const look = this.#looks.get(id);
      if (look === undefined) return false;
      const job = missing.get(id);
      look.isKnown = job === undefined;
      if (job === undefined) return false;
      // A transaction that was open then, and has ended since, would have brought it.
      const haveAllEnded = look.missingBefore !== null && job.openFrom >= look.missingBefore;
      look.missingBefore ??= job.begunUntil;
      const isRecent = job.ageMs === null || job.ageMs < graceMs;
      return haveAllEnded && (!isRecent || nowMs - look.enteredAtMs >= graceMs);
    });
  }
}
