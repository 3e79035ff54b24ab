import { type JobStream, PermanentError } from "lockstep";
import type { ModelCallContext } from "./model-call.ts";

// As much as certainly fits into a chunk.
const partLength = 8_000;
const taken = new WeakSet<JobStream<string>>();

/** The stream of a job to which one call writes what its readers are to see. */
export class CallStream {
  readonly #stream: JobStream<string>;
  #shown: string | null = null;

  private constructor(stream: JobStream<string>) {
    this.#stream = stream;
  }

  /** The stream for one call. Another call of the attempt may have it only if this one fails: with another model, say. */
  static async during<Answer>(
    context: ModelCallContext,
    name: string,
    call: (shown: CallStream) => Promise<Answer>,
  ): Promise<Answer> {
    const stream = context.stream<string>(name);
    // Kept answers and new ones in one stream could not be told apart by a retry.
    if (taken.has(stream)) {
      throw new PermanentError(
        `Two model calls of job ${context.jobId} write to stream "${name}" in one attempt. Give each a stream of its own.`,
      );
    }
    taken.add(stream);
    try {
      return await call(new CallStream(stream));
    } catch (error) {
      taken.delete(stream);
      throw error;
    }
  }

  /** What readers are to see now. It mostly grows; where it changes, they are told to forget what they saw. */
  async show(text: string): Promise<void> {
    const storable = text.replaceAll("\0", "");
    if (this.#shown === null || !storable.startsWith(this.#shown)) {
      this.#stream.rewind();
      this.#shown = "";
    }
    const more = storable.slice(this.#shown.length);
    this.#shown = storable;
    for (const part of partsOf(more)) await this.#stream.write(part);
  }

  /** What readers are to see of an answer that was kept. Nothing is written if they have it, as they do unless its worker died at once. */
  async showKept(text: string): Promise<void> {
    const written = (await this.#stream.written()).join("");
    if (written !== text) await this.show(text);
  }
}

function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + partLength, text.length);
    // Not in the middle of a surrogate pair.
    if (to < text.length && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}
