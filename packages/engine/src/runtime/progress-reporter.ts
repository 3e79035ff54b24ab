import type { Clock } from "../clock.ts";
import type { EngineEvents } from "../events/engine-events.ts";
import { cleanText } from "../jobs/clean-text.ts";
import { encodeOutput } from "../jobs/json-value.ts";
import type { Claim } from "../store/claim.ts";
import { DatabaseUnavailableError } from "../store/database-error.ts";
import type { JobStore } from "../store/job-store.ts";

export interface ProgressReporterParts {
  readonly store: Pick<JobStore, "reportProgress">;
  readonly clock: Clock;
  readonly events: EngineEvents;
  /** The least time between two writes of one job's progress. */
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

/** The progress of one try: what is still to be written, and from when on that may be. */
interface Track {
  readonly claim: Claim;
  unwritten: Report | null;
  dueAtMs: number;
}

const noteLimit = 500;
const pauseAfterErrorMs = 1_000;

/** Writes what handlers say of their progress: many jobs in one call, each job not too often, the last word wins. */
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
    // Told at once, as the try may end before it is written; in a flood, told as often as written.
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

  /** Its try has ended: what it said last is of no use any more. */
  forget(jobId: string): void {
    this.#tracks.delete(jobId);
  }

  /** Writes at once what there is to write; what cannot be written now waits as before. Never rejects. */
  async flush(): Promise<void> {
    for (const track of this.#tracks.values()) track.dueAtMs = Number.NEGATIVE_INFINITY;
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
    const track = { claim, unwritten: null, dueAtMs: Number.NEGATIVE_INFINITY };
    this.#tracks.set(claim.jobId, track);
    return track;
  }

  /** Until all is written. */
  async #run(): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      // What is said in one go travels together.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#writeDue();
      const unwritten = [...this.#tracks.values()].filter((track) => track.unwritten !== null);
      if (unwritten.length === 0) break;
      this.#sleeping = new AbortController();
      const nextAtMs = Math.min(...unwritten.map(({ dueAtMs }) => dueAtMs));
      await clock.sleep(Math.max(0, nextAtMs - clock.monotonicMs()), this.#sleeping.signal);
      this.#sleeping = null;
    }
    this.#running = null;
  }

  // One after the other: on two connections an older word could overtake a newer one.
  #writeDue(): Promise<void> {
    const write = async () => {
      const nowMs = this.#parts.clock.monotonicMs();
      const due = [...this.#tracks.values()].filter(
        ({ unwritten, dueAtMs }) => unwritten !== null && dueAtMs <= nowMs,
      );
      if (due.length > 0) await this.#write(due);
    };
    this.#writing = this.#writing.then(write).catch((error: unknown) => this.#parts.events.emitError(error));
    return this.#writing;
  }

  async #write(tracks: readonly Track[]): Promise<void> {
    const { store, clock, intervalMs, onLost } = this.#parts;
    const reports = tracks.flatMap((track) => {
      const { claim, unwritten } = track;
      track.unwritten = null;
      track.dueAtMs = clock.monotonicMs() + intervalMs;
      return unwritten === null ? [] : [{ claim, ...unwritten }];
    });
    let lost: Set<string>;
    try {
      lost = new Set(
        await store.reportProgress(
          reports.map(({ claim, percent, note, data }) => ({ claim, percent, note, data })),
        ),
      );
    } catch (thrown) {
      this.#takeBack(tracks, reports, thrown);
      return;
    }
    // Of a try that ended meanwhile nobody wants to hear.
    const current = reports.filter(({ claim }) => this.#tracks.get(claim.jobId)?.claim === claim);
    const lostIds: string[] = [];
    for (const { claim, ...report } of current) {
      if (lost.has(claim.jobId)) lostIds.push(claim.jobId);
      else if (!report.isTold) this.#tell(claim, report);
    }
    for (const jobId of lostIds) this.#tracks.delete(jobId);
    if (lostIds.length > 0) onLost(lostIds);
  }

  #tell({ jobId }: Claim, { percent, note }: Report): void {
    this.#parts.events.emit("job.progress", { jobId, percent, note });
  }

  #takeBack(tracks: readonly Track[], reports: readonly Report[], thrown: unknown): void {
    const nextAtMs = this.#parts.clock.monotonicMs() + Math.max(this.#parts.intervalMs, pauseAfterErrorMs);
    for (const track of tracks) track.dueAtMs = nextAtMs;
    if (!(thrown instanceof DatabaseUnavailableError)) {
      // Sent again, it would fail again.
      this.#parts.events.emitError(thrown);
      return;
    }
    tracks.forEach((track, index) => {
      track.unwritten ??= reports[index] ?? null;
    });
  }
}

function storableNote(note: string): string {
  if (note.length <= noteLimit) return cleanText(note);
  // Not cut through the middle of a character.
  return cleanText(note.slice(0, noteLimit).replace(/[\ud800-\udbff]$/, ""));
}

function storableData(data: unknown): unknown {
  try {
    const text = encodeOutput(data);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
