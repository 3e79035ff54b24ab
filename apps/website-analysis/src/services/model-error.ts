import { retryAfterMs } from "@lockstep/guarded-fetch";
import { APICallError, NoObjectGeneratedError, NoOutputGeneratedError } from "ai";
import { PermanentError, RetryAfter, UnknownOutcomeError } from "lockstep";

// What a provider says when the same question may be asked again. Other 4xx are about the question or the key.
const passing = new Set([408, 409, 425, 429]);

/** What a failed question means for the job: whether to ask again, when, and whether it may have been answered. */
export function modelErrorOf(
  error: unknown,
  { question, timedOutMs, nowMs }: { question: string; timedOutMs: number | null; nowMs: number },
): Error {
  const about = `The question "${question}"`;
  if (timedOutMs !== null) {
    return new UnknownOutcomeError(`${about} had no answer within ${timedOutMs} ms.`, { cause: error });
  }
  if (NoObjectGeneratedError.isInstance(error) || NoOutputGeneratedError.isInstance(error)) {
    return new ModelAnswerError(`${about} was answered in another form than asked for.${spentOn(error)}`, {
      cause: error,
    });
  }
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return new Error(`${about} could not be asked: ${messageOf(error)}`, { cause: error });
  }
  const { statusCode, responseHeaders } = error;
  if (statusCode < 300) {
    return new ModelAnswerError(`${about} was answered with something that is no answer of a model.`, {
      cause: error,
    });
  }
  const said = `${about} was answered with ${statusCode}: ${messageOf(error).slice(0, 500)}`;
  if (statusCode < 500 && !passing.has(statusCode)) {
    return new PermanentError(`${said} See MODEL_NAME and the key of the provider.`, { cause: error });
  }
  const afterMs = askedWaitMs(responseHeaders, nowMs);
  return afterMs === null
    ? new Error(said, { cause: error })
    : new RetryAfter(said, { afterMs, cause: error });
}

/** The model answered, and it was nonsense. */
export class ModelAnswerError extends Error {
  override readonly name = "ModelAnswerError";
}

function askedWaitMs(headers: Record<string, string> | undefined, nowMs: number): number | null {
  const exactMs = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  return exactMs >= 0 && exactMs < 86_400_000
    ? Math.round(exactMs)
    : retryAfterMs(headers?.["retry-after"], nowMs);
}

/** Nonsense costs as much as sense. */
function spentOn(error: unknown): string {
  const tokens = (error as { usage?: { totalTokens?: unknown } }).usage?.totalTokens;
  return typeof tokens === "number" ? ` It cost ${tokens} tokens.` : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
