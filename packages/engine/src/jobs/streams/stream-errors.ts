import { brandError } from "@lockstep/database";
import { PermanentError } from "../outcomes/permanent-error.ts";

/** A wrong write to a stream, or one that no longer fits: it would be refused in every attempt. */
export class InvalidStreamError extends PermanentError {
  static {
    brandError(InvalidStreamError, "InvalidStreamError");
  }

  override readonly name = "InvalidStreamError";
  readonly code = "invalid_stream";
}

/** A handler writes faster than its stream takes it, and does not wait. */
export class StreamTooFastError extends Error {
  static {
    brandError(StreamTooFastError, "StreamTooFastError");
  }

  override readonly name = "StreamTooFastError";
  readonly code = "stream_too_fast";
  readonly jobId: string;

  constructor(jobId: string, name: string) {
    super(
      `Job ${jobId} writes to stream "${name}" faster than it is kept: more than 1 MiB is unwritten. ` +
        "Await write(), which then waits; a stream takes 2 MiB in ten seconds.",
    );
    this.jobId = jobId;
  }
}
