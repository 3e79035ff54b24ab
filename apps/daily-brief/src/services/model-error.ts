import { retryAfterMs } from "@lockstep/guarded-fetch";
import { APICallError } from "ai";
import { PermanentError, RetryAfter } from "lockstep";

// What a provider says when the same question may be asked again. Other 4xx are about the question or the key.
const passing = new Set([408, 409, 425, 429]);

/** What a failed question means for the job: whether to ask again, and when. */
export function modelErrorOf(error: unknown, timedOutMs: number | null): Error {
  if (timedOutMs !== null) return new Error(`The model had no answer within ${timedOutMs} ms.`);
  if (!APICallError.isInstance(error) || error.statusCode === undefined || error.statusCode < 300) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Error(`The model gave no answer that can be used: ${reason.slice(0, 500)}`, { cause: error });
  }
  const said = `The model answered with ${error.statusCode}: ${error.message.slice(0, 500)}`;
  if (error.statusCode < 500 && !passing.has(error.statusCode)) {
    return new PermanentError(`${said}. See MODEL_NAME and the key of the provider.`, { cause: error });
  }
  const afterMs = retryAfterMs(error.responseHeaders?.["retry-after"] ?? null, Date.now());
  return afterMs === null
    ? new Error(said, { cause: error })
    : new RetryAfter(said, { afterMs, cause: error });
}
