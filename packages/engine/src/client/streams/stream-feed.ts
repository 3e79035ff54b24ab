import type { StreamPart } from "../../jobs/streams/stream-entry.ts";

// What is older is read from the database again by whoever still needs it.
const mostBytes = 256 * 1_024;
const roomOfAPart = 100;

/** One stream that somebody in this process follows: how far it is read, and its last parts, for all who follow it. */
export class StreamFeed {
  readonly jobId: string;
  readonly name: string;
  /** How many follow it. */
  followers = 0;
  #cursor: string;
  #parts: { readonly part: StreamPart; readonly bytes: number }[] = [];
  #bytes = 0;
  /** How many parts came before those that are kept. */
  #dropped = 0;
  /** By cursor, the number of the part that comes next. After a rewind a cursor may come again, and the later place counts. */
  readonly #next = new Map<string, number>();
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #whenNews: (() => void)[] = [];

  constructor(jobId: string, name: string, cursor: string) {
    this.jobId = jobId;
    this.name = name;
    this.#cursor = cursor;
    this.#next.set(cursor, 0);
  }

  get cursor(): string {
    return this.#cursor;
  }

  /** All is read and the job has ended, or it cannot be read. */
  get hasEnded(): boolean {
    return this.#isOver || this.#failure !== null;
  }

  /** What comes after a cursor; null: the feed does not know that place. */
  after(cursor: string): StreamPart | "nothing yet" | "over" | null {
    const next = this.#next.get(cursor);
    if (next === undefined) {
      if (this.#failure !== null) throw this.#failure.error;
      return null;
    }
    const kept = this.#parts[next - this.#dropped];
    if (kept !== undefined) return kept.part;
    if (this.#failure !== null) throw this.#failure.error;
    return this.#isOver ? "over" : "nothing yet";
  }

  add(parts: readonly StreamPart[], isOver: boolean): void {
    for (const part of parts) this.#add(part);
    this.#isOver ||= isOver;
    if (parts.length > 0 || isOver) this.#tell();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#tell();
  }

  /** Ends when something has come, or with the signal. */
  async news(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      this.#whenNews.push(end);
      signal.addEventListener("abort", end);
    });
  }

  #add(part: StreamPart): void {
    const bytes = roomOfAPart + (part.kind === "rewind" ? 0 : JSON.stringify(part.chunks).length);
    this.#parts.push({ part, bytes });
    this.#bytes += bytes;
    this.#cursor = part.cursor;
    // Deleted first, so that the map stays in the order of the places.
    this.#next.delete(part.cursor);
    this.#next.set(part.cursor, this.#dropped + this.#parts.length);
    while (this.#bytes > mostBytes && this.#parts.length > 1) this.#dropFirst();
  }

  #dropFirst(): void {
    for (const [cursor, next] of this.#next) {
      if (next > this.#dropped) break;
      this.#next.delete(cursor);
    }
    this.#bytes -= this.#parts.shift()?.bytes ?? 0;
    this.#dropped += 1;
  }

  #tell(): void {
    for (const resolve of this.#whenNews.splice(0)) resolve();
  }
}
