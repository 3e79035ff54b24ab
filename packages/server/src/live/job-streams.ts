import type { Clock, Reader, StreamPart, StreamRequest } from "lockstep";
import { EventStream, message } from "./event-stream.ts";
import { keepOpen, type Stay } from "./keep-open.ts";

export interface JobStreamsParts {
  readonly reader: Pick<Reader, "followStream">;
  readonly clock: Clock;
  readonly random: () => number;
  /** Chunks as clients may see them. */
  readonly show: (name: string, chunks: readonly unknown[]) => readonly unknown[];
  /** The server's end. */
  readonly stopping: AbortSignal;
}

export interface JobStreamRequest extends Stay {
  readonly stream: StreamRequest;
  /** Aborts when the client goes, even before it has been answered. */
  readonly gone: AbortSignal;
  readonly onEnd: () => void;
}

/** Sends what handlers write to their readers, as it is written. */
export class JobStreams {
  readonly #parts: JobStreamsParts;
  // The same parts go to all who follow a stream: each is made into text once.
  readonly #texts = new WeakMap<StreamPart, string>();

  constructor(parts: JobStreamsParts) {
    this.#parts = parts;
  }

  open(request: JobStreamRequest): ReadableStream<Uint8Array> {
    const { clock, stopping } = this.#parts;
    const body = new EventStream({ clock });
    const close = () => body.close();
    const ends = [stopping, request.gone];
    for (const end of ends) end.addEventListener("abort", close);
    body.ended.addEventListener("abort", () => {
      for (const end of ends) end.removeEventListener("abort", close);
      request.onEnd();
    });
    this.#tell(body, request.stream).catch(close);
    keepOpen(body, request, this.#parts).catch(close);
    if (ends.some(({ aborted }) => aborted)) close();
    return body.body;
  }

  /** No faster than the client reads: one that is slow is behind, and nothing waits for it here. */
  async #tell(body: EventStream, stream: StreamRequest): Promise<void> {
    await body.write("retry: 2000\n\n");
    const parts = this.#parts.reader.followStream(stream, body.ended);
    let next = await parts.next();
    for (; next.done !== true; next = await parts.next())
      await body.write(this.#textOf(stream.name, next.value));
    // Where only the server ends, the client comes back.
    body.close(next.value ? message("end", "{}") : "");
  }

  #textOf(name: string, part: StreamPart): string {
    const known = this.#texts.get(part);
    if (known !== undefined) return known;
    const text =
      part.kind === "rewind"
        ? message("rewind", JSON.stringify({ to: part.to }), part.cursor)
        : message(
            "chunks",
            JSON.stringify({ seq: part.seq, chunks: this.#parts.show(name, part.chunks) }),
            part.cursor,
          );
    this.#texts.set(part, text);
    return text;
  }
}
