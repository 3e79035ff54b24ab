import { pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { FetchError } from "./fetch-error.ts";

export interface BodyLimits {
  /** Counted after decompression. */
  readonly maxBytes: number;
  /** Decoded bytes per received one, above which it is taken for a bomb. */
  readonly maxRatio: number;
}

const decoders: Record<string, (() => Transform) | undefined> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
// Small pages of repeated text compress better than any limit; they do no harm.
const ratioCountsFromBytes = 1_048_576;

/** Hands on a body piece by piece, unpacked, while it stays within its limits; nothing beyond them is ever held. */
export async function* readBody(
  body: Readable,
  encoding: string,
  limits: BodyLimits,
): AsyncGenerator<Buffer, void> {
  // Destroying a body before its end is an error to undici; what matters is thrown below.
  body.on("error", () => {});
  let receivedBytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length;
      done(null, chunk);
    },
  });
  const decoder = decoderOf(encoding, body);
  // The error is thrown where the last stream is read.
  const decoded = decoder
    ? pipeline(body, counter, decoder, () => {})
    : (pipeline(body, counter, () => {}) as Readable);
  let bytes = 0;
  try {
    for await (const chunk of decoded as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      checkLimits(bytes, receivedBytes, limits);
      yield chunk;
    }
  } catch (error) {
    throw decodingErrorOf(error) ?? error;
  } finally {
    body.destroy();
  }
}

function decoderOf(encoding: string, body: Readable): Transform | null {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return null;
  const make = decoders[name];
  if (make !== undefined) return make();
  body.destroy();
  // Several layers of compression, too: only bombs have them.
  throw new FetchError("encoding", `The content encoding "${name.slice(0, 40)}" is not supported.`);
}

function checkLimits(bytes: number, receivedBytes: number, { maxBytes, maxRatio }: BodyLimits): void {
  if (bytes > maxBytes) {
    throw new FetchError("size", `The answer is larger than ${maxBytes} bytes and is not read to its end.`);
  }
  if (bytes > ratioCountsFromBytes && bytes > receivedBytes * maxRatio) {
    throw new FetchError(
      "size",
      `The answer unpacks to more than ${maxRatio} times its size and is not read to its end.`,
    );
  }
}

function decodingErrorOf(error: unknown): FetchError | null {
  const { code } = error as { code?: unknown };
  if (typeof code !== "string" || !/^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(code)) return null;
  const isCutOff = code === "Z_BUF_ERROR";
  return new FetchError(
    "encoding",
    `The answer ${isCutOff ? "was cut off before its end" : "is not what its content encoding says"}.`,
    { isFinal: !isCutOff, cause: error },
  );
}
