import type { ProcessUsage } from "./process-usage.ts";
import { ReadingCrashError, UnsafeDocumentError } from "./reading-errors.ts";
import type { ReadingLimits } from "./reading-limits.ts";

/** Keeps account of what the pages in work have cost, and says when a limit is passed. */
export class PageBudget {
  readonly #limits: ReadingLimits;
  /** Page 0 is the opening of the document. */
  readonly #startedAtMs = new Map<number, number>();
  #cpuMs = 0;
  #cpuMsAtLastEnd = 0;

  constructor(limits: ReadingLimits, nowMs: number) {
    this.#limits = limits;
    this.#startedAtMs.set(0, nowMs);
  }

  started(page: number, nowMs: number): void {
    this.#ended(0);
    this.#startedAtMs.set(page, nowMs);
  }

  ended(page: number): void {
    this.#ended(page);
  }

  /** Null while every limit is kept. */
  breach(usage: ProcessUsage | null, nowMs: number): Error | null {
    const { memoryBytes, wallMsPerPage, cpuMsPerPage } = this.#limits;
    if (usage !== null) {
      this.#cpuMs = usage.cpuMs;
      if (usage.memoryBytes > memoryBytes) return memoryBreach(memoryBytes);
      // Time on the processor is known for the process only, so pages side by side share one account.
      const allowedMs = cpuMsPerPage * Math.max(1, this.#startedAtMs.size);
      if (usage.cpuMs - this.#cpuMsAtLastEnd > allowedMs) {
        return new UnsafeDocumentError(
          "cpu_limit",
          `${this.#what()} took more than ${cpuMsPerPage / 1_000} s of processor time and was stopped. ${advice}`,
        );
      }
    }
    const late = [...this.#startedAtMs].find(([, atMs]) => nowMs - atMs > wallMsPerPage);
    if (late === undefined) return null;
    // Whatever works that long is stopped for its processor time before. This one waited: for a machine that is too
    // busy, or for nothing at all, and may fare better the next time.
    return new ReadingCrashError(
      `${nameOf(late[0])} took longer than ${wallMsPerPage / 1_000} s and was stopped, with little of it at work.`,
    );
  }

  #ended(page: number): void {
    if (this.#startedAtMs.delete(page)) this.#cpuMsAtLastEnd = this.#cpuMs;
  }

  #what(): string {
    return [...this.#startedAtMs.keys()].map(nameOf).join(" with ") || nameOf(0);
  }
}

const advice = "Print the document to a new PDF, or split it, and add it again.";

export function memoryBreach(memoryBytes: number, cause?: unknown): UnsafeDocumentError {
  const mebibytes = Math.round(memoryBytes / 1024 / 1024);
  return new UnsafeDocumentError(
    "memory_limit",
    `Reading the document took more than ${mebibytes} MiB of memory and was stopped. ${advice}`,
    cause === undefined ? undefined : { cause },
  );
}

function nameOf(page: number): string {
  return page === 0 ? "Opening the document" : `Page ${page}`;
}
