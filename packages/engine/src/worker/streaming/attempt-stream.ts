import { checkedStreamName, encodedChunk, type JobStream } from "../../jobs/streams/job-stream.ts";
import { InvalidStreamError, StreamTooFastError } from "../../jobs/streams/stream-errors.ts";
import type { Claim } from "../../store/working/claim.ts";
import type { StreamWrite } from "../../store/working/stream-store.ts";
import type { StreamWriter } from "./stream-writer.ts";

/** What a stream needs of the attempt that writes it. */
export interface StreamRun {
  readonly claim: Pick<Claim, "jobId" | "token">;
  readonly signal: AbortSignal;
  /** Why nothing can be written any more, as the end of a sentence; null as long as it can. */
  readonly streamsClosedBecause: string | null;
}

interface Unsent {
  readonly text: string;
  readonly bytes: number;
}

// Above the first, write() waits; above the second, a handler does not wait.
const roomBytes = 256 * 1_024;
const mostUnsentBytes = 1_024 * 1_024;
// As much as write_streams takes in one write.
const mostChunksPerWrite = 1_000;
const mostBytesPerWrite = 256 * 1_024;

/** One stream of one attempt: what the handler has written and PostgreSQL has not yet. */
export class AttemptStream implements JobStream {
  readonly name: string;
  readonly #run: StreamRun;
  readonly #writer: Pick<StreamWriter, "add" | "continue">;
  #unsent: Unsent[] = [];
  #unsentBytes = 0;
  /** Sent, and not answered: it is sent again as it is. */
  #underWay: { readonly write: StreamWrite; readonly chunks: readonly Unsent[] } | null = null;
  #after: number | null = null;
  #isToRewind = false;
  #isContinuing = false;
  #failure: { readonly error: unknown } | null = null;
  #whenChanged: (() => void)[] = [];

  constructor(name: unknown, run: StreamRun, writer: Pick<StreamWriter, "add" | "continue">) {
    this.name = checkedStreamName(name);
    this.#run = run;
    this.#writer = writer;
  }

  get jobId(): string {
    return this.#run.claim.jobId;
  }

  get claim(): StreamRun["claim"] {
    return this.#run.claim;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  /** Throws at once what is known at once, so that a handler that does not wait hears of it too. */
  write(chunk: unknown): Promise<void> {
    this.#refuseIfClosed();
    const unsent = encodedChunk(this.jobId, this.name, chunk);
    if (this.#unsentBytes + unsent.bytes > mostUnsentBytes)
      throw new StreamTooFastError(this.jobId, this.name);
    this.#unsent.push(unsent);
    this.#unsentBytes += unsent.bytes;
    const isFull = this.#unsentBytes > roomBytes;
    this.#writer.add(this, isFull);
    if (!isFull) return Promise.resolve();
    const room = this.#until(() => this.#unsentBytes <= roomBytes);
    // Where nobody waits, the next write or the end of the attempt tells it.
    room.catch(() => {});
    return room;
  }

  async written(): Promise<readonly unknown[]> {
    this.#refuseIfClosed();
    if (this.#isToRewind) return [];
    await this.flush();
    this.#isContinuing = true;
    try {
      const { lastEntry, chunks } = await this.#writer.continue(this);
      this.#after = lastEntry;
      return chunks;
    } finally {
      this.#isContinuing = false;
      if (this.#unsent.length > 0) this.#writer.add(this, false);
    }
  }

  rewind(): void {
    this.#refuseIfClosed();
    this.#unsent = [];
    this.#unsentBytes = bytesOf(this.#underWay?.chunks ?? []);
    this.#isToRewind = true;
    this.#changed();
  }

  /** Until all is written. Rejects with what was refused. */
  async flush(): Promise<void> {
    if (this.#failure === null && this.#unsentBytes > 0) this.#writer.add(this, true);
    await this.#until(() => this.#unsentBytes === 0);
  }

  // What the writer asks of it.

  /** What is to be sent next; null: nothing now. */
  take(): StreamWrite | null {
    if (this.#underWay !== null) return this.#underWay.write;
    if (this.#unsent.length === 0 || this.#isContinuing || this.#failure !== null) return null;
    let length = 0;
    for (let bytes = 0; length < Math.min(mostChunksPerWrite, this.#unsent.length); length += 1) {
      bytes += this.#unsent[length]?.bytes ?? 0;
      if (bytes > mostBytesPerWrite) break;
    }
    const chunks = this.#unsent.slice(0, length);
    const write: StreamWrite = {
      claim: this.#run.claim,
      name: this.name,
      after: this.#after,
      isRewind: this.#isToRewind,
      chunks: chunks.map(({ text }) => text),
    };
    this.#unsent = this.#unsent.slice(length);
    this.#underWay = { write, chunks };
    this.#isToRewind = false;
    return write;
  }

  /** What was taken last is written. */
  wrote(lastEntry: number | null): void {
    this.#unsentBytes -= bytesOf(this.#underWay?.chunks ?? []);
    this.#underWay = null;
    this.#after = lastEntry;
    this.#changed();
  }

  /** It takes no more. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#underWay = null;
    this.#changed();
  }

  /** It takes no more: something was refused, or its attempt has ended. */
  get isClosed(): boolean {
    return this.#failure !== null;
  }

  get hasUnsent(): boolean {
    return this.#underWay !== null || this.#unsent.length > 0;
  }

  /** The attempt is settled. What is unsent, because its handler did not stop, is of no use any more. */
  end(): void {
    if (!this.isClosed) this.fail(this.#refusal("the attempt has ended"));
  }

  #refusal(reason: string): InvalidStreamError {
    return new InvalidStreamError(
      `Nothing can be written to stream "${this.name}" of job ${this.jobId}: ${reason}.`,
    );
  }

  #refuseIfClosed(): void {
    if (this.#failure !== null) throw this.#failure.error;
    const reason = this.#run.streamsClosedBecause;
    if (reason !== null) throw this.#refusal(reason);
  }

  async #until(isThere: () => boolean): Promise<void> {
    while (this.#failure === null && !isThere()) {
      await new Promise<void>((resolve) => this.#whenChanged.push(resolve));
    }
    if (this.#failure !== null) throw this.#failure.error;
  }

  #changed(): void {
    for (const resolve of this.#whenChanged.splice(0)) resolve();
  }
}

function bytesOf(chunks: readonly Unsent[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0);
}
