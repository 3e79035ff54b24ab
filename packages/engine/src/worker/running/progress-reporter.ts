import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import { cleanText } from "../../jobs/values/clean-text.ts";
import { encodeAside } from "../../jobs/values/json-value.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { Claim } from "../../store/working/claim.ts";
import type { ClaimStore, ProgressReport } from "../../store/working/claim-store.ts";

export interface ProgressReporterParts {
  readonly store: Pick<ClaimStore, "reportProgress">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** The least time between two writes of one job, and how long a log line may wait to be written. */
  readonly intervalMs: number;
  /** Jobs whose claim is not this worker's any more. */
  readonly onLost: (jobIds: readonly string[]) => void;
}

interface Report {
  readonly percent: number;
  readonly note: string | null;
  readonly data: unknown;
  /** Whether listeners have heard of it. */
  readonly isTold: boolean;
}

/** The progress and the log of one attempt: what is still to be written, and from when on that may be. */
interface Track {
  readonly claim: Claim;
  unwritten: Report | null;
  dueAtMs: number;
  /** Reads the log where it has lines that are not written. */
  unwrittenLog: (() => string | null) | null;
  logDueAtMs: number;
}

/** What a write took from a track. */
interface Taken {
  readonly track: Track;
  readonly report: Report | null;
  readonly log: Track["unwrittenLog"];
}

const noteLimit = 500;
const pauseAfterErrorMs = 1_000;

/**
 * Writes what handlers say of their progress, and what they log: many jobs in one call, each job not too often, the last
 * word wins.
 */
export class ProgressReporter {
  readonly #parts: ProgressReporterParts;
  readonly #tracks = new Map<string, Track>();
  #running: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();
  #sleeping: AbortController | null = null;
  #isStopped = false;

  constructor(parts: ProgressReporterParts) {
    this.#parts = parts;
  }

  /** Never throws: a handler's work does not depend on how its progress is shown. */
  report(claim: Claim, percent: number, note?: string | null, data?: unknown): void {
    if (this.#isStopped || !Number.isFinite(percent)) return;
    const track = this.#trackOf(claim);
    const isDue = track.dueAtMs <= this.#parts.clock.monotonicMs();
    // Told at once, as the attempt may end before it is written; in a flood, told as often as written.
    const isTold = isDue && track.unwritten === null;
    track.unwritten = {
      percent: Math.min(100, Math.max(0, percent)),
      note: typeof note === "string" ? storableNote(note) : null,
      data: storableData(data),
      isTold,
    };
    if (isTold) this.#tell(claim, track.unwritten);
    if (isDue) this.#sleeping?.abort();
    this.#running ??= this.#run();
  }

  /** There are new lines. They wait: most attempts end within the interval, and the end of an attempt stores its log. */
  reportLog(claim: Claim, read: () => string | null): void {
    if (this.#isStopped) return;
    const track = this.#trackOf(claim);
    if (track.unwrittenLog !== null) return;
    track.unwrittenLog = read;
    track.logDueAtMs = this.#parts.clock.monotonicMs() + this.#parts.intervalMs;
    this.#running ??= this.#run();
  }

  /** Its attempt has ended: what is still to be written is of no use any more. */
  forget(jobId: string): void {
    this.#tracks.delete(jobId);
  }

  /** Writes at once what there is to write; what cannot be written now waits as before. Never rejects. */
  async flush(): Promise<void> {
    for (const track of this.#tracks.values()) {
      track.dueAtMs = Number.NEGATIVE_INFINITY;
      track.logDueAtMs = Number.NEGATIVE_INFINITY;
    }
    await this.#writeDue();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#tracks.clear();
    this.#sleeping?.abort();
    await this.#running;
    await this.#writing;
  }

  #trackOf(claim: Claim): Track {
    const known = this.#tracks.get(claim.jobId);
    if (known?.claim.token === claim.token) return known;
    const track: Track = {
      ...{ claim, unwritten: null, unwrittenLog: null },
      ...{ dueAtMs: Number.NEGATIVE_INFINITY, logDueAtMs: Number.NEGATIVE_INFINITY },
    };
    this.#tracks.set(claim.jobId, track);
    return track;
  }

  /** Until all is written. */
  async #run(): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      // Reports of the same turn go in one call.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#writeDue();
      const nextAtMs = Math.min(...[...this.#tracks.values()].map(dueAtMsOf));
      if (nextAtMs === Number.POSITIVE_INFINITY) break;
      this.#sleeping = new AbortController();
      await clock.sleep(Math.max(0, nextAtMs - clock.monotonicMs()), this.#sleeping.signal);
      this.#sleeping = null;
    }
    this.#running = null;
  }

  // One after the other: on two connections an older word could overtake a newer one.
  #writeDue(): Promise<void> {
    const write = async () => {
      const nowMs = this.#parts.clock.monotonicMs();
      const due = [...this.#tracks.values()].filter((track) => dueAtMsOf(track) <= nowMs);
      if (due.length > 0) await this.#write(due);
    };
    this.#writing = this.#writing.then(write).catch((error: unknown) => this.#parts.events.emitError(error));
    return this.#writing;
  }

  async #write(tracks: readonly Track[]): Promise<void> {
    const { store, clock, intervalMs, onLost } = this.#parts;
    const taken = tracks.map((track): Taken => {
      const { unwritten: report, unwrittenLog: log } = track;
      track.unwritten = null;
      track.unwrittenLog = null;
      track.dueAtMs = clock.monotonicMs() + intervalMs;
      return { track, report, log };
    });
    let lost: Set<string>;
    try {
      lost = new Set(await store.reportProgress(taken.map(writtenOf)));
    } catch (thrown) {
      this.#takeBack(taken, thrown);
      return;
    }
    // An attempt that has ended meanwhile is not reported.
    const current = taken.filter(({ track }) => this.#tracks.get(track.claim.jobId) === track);
    const lostIds: string[] = [];
    for (const { track, report } of current) {
      const { claim } = track;
      if (lost.has(claim.jobId)) lostIds.push(claim.jobId);
      else if (report?.isTold === false) this.#tell(claim, report);
    }
    for (const jobId of lostIds) this.#tracks.delete(jobId);
    if (lostIds.length > 0) onLost(lostIds);
  }

  #tell({ jobId }: Claim, { percent, note }: Report): void {
    this.#parts.events.emit("job.progress", { jobId, percent, note });
  }

  #takeBack(taken: readonly Taken[], thrown: unknown): void {
    const nextAtMs = this.#parts.clock.monotonicMs() + Math.max(this.#parts.intervalMs, pauseAfterErrorMs);
    for (const { track } of taken) {
      track.dueAtMs = nextAtMs;
      track.logDueAtMs = nextAtMs;
    }
    if (!(thrown instanceof DatabaseUnavailableError)) {
      // Sent again, it would fail again.
      this.#parts.events.emitError(thrown);
      return;
    }
    for (const { track, report, log } of taken) {
      track.unwritten ??= report;
      track.unwrittenLog ??= log;
    }
  }
}

/** When the next write of it may be; never, when there is nothing to write. */
function dueAtMsOf({ unwritten, dueAtMs, unwrittenLog, logDueAtMs }: Track): number {
  return Math.min(
    unwritten === null ? Number.POSITIVE_INFINITY : dueAtMs,
    unwrittenLog === null ? Number.POSITIVE_INFINITY : logDueAtMs,
  );
}

function writtenOf({ track, report, log }: Taken): ProgressReport {
  const { percent = null, note = null, data = null } = report ?? {};
  return { claim: track.claim, percent, note, data, log: log?.() ?? null };
}

function storableNote(note: string): string {
  if (note.length <= noteLimit) return cleanText(note);
  // Not cut through the middle of a character.
  return cleanText(note.slice(0, noteLimit).replace(/[\ud800-\udbff]$/, ""));
}

function storableData(data: unknown): unknown {
  try {
    const text = encodeAside(data);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
