import { Buffer } from "node:buffer";
import { encodeOutput, InvalidOutputError } from "../values/json-value.ts";
import { storedBytes } from "../values/stored-size.ts";
import { InvalidStreamError } from "./stream-errors.ts";

/** A stream that a handler writes while it runs, and that readers follow. */
export interface JobStream<Chunk = unknown> {
  readonly name: string;
  /**
   * Adds a chunk: a text, or anything that JSON can carry. Gathered with what other jobs write, for at most 100 ms. Awaited, it waits while too
   * much is unwritten. Not awaited, its error comes with the next write, and ends the attempt.
   */
  write(chunk: Chunk): Promise<void>;
  /**
   * What is kept of this stage's chunks, by this attempt and earlier ones. Called before the first write, this attempt goes on
   * after them. Otherwise its first write cuts them off, and readers are told so.
   */
  written(): Promise<readonly Chunk[]>;
  /** Cuts off what this stage wrote, together with the next write. */
  rewind(): void;
}

/** The longest chunk, as PostgreSQL measures it. */
export const mostChunkBytes = 65_536;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

/** Refuses what cannot be the name of a stream. */
export function checkedStreamName(name: unknown): string {
  if (typeof name === "string" && namePattern.test(name)) return name;
  throw new InvalidStreamError(
    `A stream cannot be named ${JSON.stringify(name)?.slice(0, 100)}: a name has 1 to 100 letters, digits, "_", ".", ":" or "-", and begins with a letter or digit.`,
  );
}

/** A chunk as JSON text, and how much room it takes. */
export function encodedChunk(jobId: string, name: string, chunk: unknown): { text: string; bytes: number } {
  let text: string | null;
  try {
    text = encodeOutput(chunk);
  } catch (thrown) {
    if (!(thrown instanceof InvalidOutputError)) throw thrown;
    const sentence = thrown.message.replace(/^The output/, "A chunk");
    throw new InvalidStreamError(`Stream "${name}" of job ${jobId}: ${sentence}`, { cause: thrown });
  }
  if (text === null) {
    throw new InvalidStreamError(
      `Stream "${name}" of job ${jobId}: a chunk is undefined, which JSON cannot carry.`,
    );
  }
  const bytes = typeof chunk === "string" ? Buffer.byteLength(text) : storedBytes(text);
  if (bytes > mostChunkBytes) {
    throw new InvalidStreamError(
      `Stream "${name}" of job ${jobId}: a chunk has ${bytes} bytes as JSON, but the limit is ${mostChunkBytes} (64 KiB). Write it in parts.`,
    );
  }
  return { text, bytes: bytes + roomOfAChunk };
}

// As write_streams counts it.
const roomOfAChunk = 16;
