import type { Clock } from "../../clock.ts";
import { LeaseLostError } from "../../jobs/outcomes/lease-lost-error.ts";
import { InvalidStreamError } from "../../jobs/streams/stream-errors.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { ClaimKey } from "../../store/working/claim.ts";
import type {
  StreamContinued,
  StreamStore,
  StreamWrite,
  StreamWritten,
} from "../../store/working/stream-store.ts";
import { withinGrace } from "../running/within-grace.ts";
import type { AttemptStream } from "./attempt-stream.ts";

export interface StreamWriterParts {
  readonly store: Pick<StreamStore, "write" | "continue">;
  readonly clock: Clock;
  /** How long an attempt may wait for PostgreSQL after its signal has aborted. */
  readonly graceMs: number;
  /** Whether a claim that PostgreSQL does not know was only forgotten in a crash, and holds again. */
  readonly isStillHeld: (claim: ClaimKey) => Promise<boolean>;
  /** This claim is not this worker's any more. The job may be, under a later one. */
  readonly onLost: (claim: ClaimKey) => void;
}

interface Taken {
  readonly stream: AttemptStream;
  readonly write: StreamWrite;
}

const gatherMs = 100;
const resendMs = 500;
const busyMs = 20;
const mostBytesPerCall = 1_024 * 1_024;

/**
 * Writes what the handlers of this worker stream: all jobs in one call, one call at a time and at most one in 100 ms. The first chunk
 * after a pause is sent at once.
 */
export class StreamWriter {
  readonly #parts: StreamWriterParts;
  /** Streams with something unsent, and from when on it may be sent. */
  readonly #waiting = new Map<AttemptStream, number>();
  /** Claims that PostgreSQL did not know, although they hold. */
  readonly #doubted = new WeakSet<AttemptStream>();
  #nextCallMs = Number.NEGATIVE_INFINITY;
  #isUrgent = false;
  #isStopped = false;
  #sleeping: AbortController | null = null;
  #running: Promise<void> | null = null;

  constructor(parts: StreamWriterParts) {
    this.#parts = parts;
  }

  /** The stream has something to send; somebody waits for it if it is urgent. */
  add(stream: AttemptStream, isUrgent: boolean): void {
    if (!this.#waiting.has(stream)) {
      this.#waiting.set(stream, Number.NEGATIVE_INFINITY);
      this.#sleeping?.abort();
    }
    if (isUrgent && !this.#isUrgent) {
      this.#isUrgent = true;
      this.#sleeping?.abort();
    }
    this.#running ??= this.#run();
  }

  /** Takes a stream over from earlier attempts. Sends again while the database is away, until the attempt is told to stop. */
  async continue(stream: AttemptStream): Promise<StreamContinued> {
    const { store, clock, graceMs } = this.#parts;
    const { claim, name, signal } = stream;
    for (;;) {
      try {
        const continued = await withinGrace(store.continue(claim, name), { signal, clock, graceMs });
        if (continued.answer === "applied") return continued;
        if (await this.#isLost(stream)) throw this.#lost(claim, `Stream "${name}" was not continued.`);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal || signal.aborted) throw error;
        await clock.sleep(resendMs, signal);
      }
    }
  }

  /** What is not written by then is not written: all attempts have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#sleeping?.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isStopped) {
      // What is written in the same turn goes in one call.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#untilDue();
      if (this.#isStopped) break;
      await this.#send();
    }
    this.#running = null;
  }

  async #untilDue(): Promise<void> {
    const { clock } = this.#parts;
    for (;;) {
      const nowMs = clock.monotonicMs();
      const firstMs = Math.min(...this.#waiting.values());
      const dueMs = this.#isUrgent ? firstMs : Math.max(firstMs, this.#nextCallMs);
      if (dueMs <= nowMs || this.#isStopped) return;
      this.#sleeping = new AbortController();
      await clock.sleep(dueMs - nowMs, this.#sleeping.signal);
      this.#sleeping = null;
    }
  }

  async #send(): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#nextCallMs = nowMs + gatherMs;
    this.#isUrgent = false;
    const taken: Taken[] = [];
    let bytes = 0;
    for (const [stream, fromMs] of [...this.#waiting]) {
      if (fromMs > nowMs) continue;
      if (bytes > mostBytesPerCall) {
        // The rest goes with the next call, at once.
        this.#isUrgent = true;
        break;
      }
      this.#waiting.delete(stream);
      const write = stream.take();
      if (write === null) continue;
      taken.push({ stream, write });
      for (const chunk of write.chunks) bytes += chunk.length;
    }
    if (taken.length > 0) await this.#write(taken);
  }

  async #write(taken: readonly Taken[]): Promise<void> {
    let answers: readonly StreamWritten[];
    try {
      answers = await this.#parts.store.write(taken.map(({ write }) => write));
    } catch (error) {
      if (error instanceof DatabaseUnavailableError && !error.isFinal) {
        for (const { stream } of taken) this.#later(stream, resendMs);
      } else if (taken.length === 1) {
        taken[0]?.stream.fail(error);
      } else {
        // Whichever of them PostgreSQL cannot take, the others are not to suffer for it.
        for (const one of taken) await this.#write([one]);
      }
      return;
    }
    for (const [index, { stream }] of taken.entries()) {
      const answer = answers[index];
      if (answer !== undefined) await this.#answered(stream, answer);
    }
  }

  async #answered(stream: AttemptStream, { answer, lastEntry, detail }: StreamWritten): Promise<void> {
    const { jobId, name } = stream;
    // Its attempt has ended meanwhile, and the job may be held again: nothing is lost.
    if (stream.isClosed) return;
    switch (answer) {
      case "applied":
      case "already_applied":
        stream.wrote(lastEntry);
        if (stream.hasUnsent) this.add(stream, false);
        return;
      case "busy":
        return this.#later(stream, busyMs);
      case "too_fast":
        return this.#later(stream, Number(detail));
      case "refused":
        return stream.fail(
          new InvalidStreamError(detail ?? `Stream "${name}" of job ${jobId} takes no more.`),
        );
      case "out_of_step":
        return stream.fail(
          new Error(
            `Stream "${name}" of job ${jobId} is not as this attempt left it: PostgreSQL has lost what was written last, or retention has deleted the stream.`,
          ),
        );
      case "lease_lost":
        try {
          if (!(await this.#isLost(stream))) return this.#later(stream, busyMs);
          stream.fail(this.#lost(stream.claim, `What it writes to stream "${name}" is refused.`));
        } catch {
          this.#later(stream, resendMs);
        }
    }
  }

  /** A crash of PostgreSQL may have forgotten the claim, and presenting it brings it back; but only once. */
  async #isLost(stream: AttemptStream): Promise<boolean> {
    if (this.#doubted.has(stream)) return true;
    if (!(await this.#parts.isStillHeld(stream.claim))) return true;
    this.#doubted.add(stream);
    return false;
  }

  #lost(claim: ClaimKey, sentence: string): LeaseLostError {
    this.#parts.onLost(claim);
    return new LeaseLostError(claim.jobId, sentence);
  }

  #later(stream: AttemptStream, afterMs: number): void {
    this.#waiting.set(stream, this.#parts.clock.monotonicMs() + afterMs);
  }
}
