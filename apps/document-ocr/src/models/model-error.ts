import { APICallError } from "ai";
import { PermanentError, RetryAfter } from "lockstep";

// What a provider says when the same question may be asked again. Other 4xx are about the question or the key.
const passing = new Set([408, 409, 425, 429]);
const longestWaitSeconds = 86_400;

/** What a failed question means for the job: whether to ask again, and when. */
export function modelErrorOf(error: unknown, about: string, timedOutMs: number | null): Error {
  if (timedOutMs !== null)
    return new Error(`The model had no answer about ${about} within ${timedOutMs} ms.`);
  if (!APICallError.isInstance(error) || error.statusCode === undefined || error.statusCode < 300) {
    const reason = error instanceof Error ? error.message : String(error);
    return new Error(`The model gave no answer about ${about} that can be used: ${reason.slice(0, 500)}`, {
      cause: error,
    });
  }
  const said = `The model answered about ${about} with ${error.statusCode}: ${error.message.slice(0, 500)}`;
  if (error.statusCode < 500 && !passing.has(error.statusCode)) {
    return new PermanentError(`${said}. See OCR_MODEL_NAME and GOOGLE_GENERATIVE_AI_API_KEY.`, {
      cause: error,
    });
  }
  const seconds = Number(error.responseHeaders?.["retry-after"] || Number.NaN);
  return seconds >= 0 && seconds <= longestWaitSeconds
    ? new RetryAfter(said, { afterMs: seconds * 1_000, cause: error })
    : new Error(said, { cause: error });
}
