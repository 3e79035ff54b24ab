import { retryAfterMs } from "@lockstep/guarded-fetch";
import { APICallError, NoObjectGeneratedError, NoOutputGeneratedError } from "ai";
import { PermanentError, RetryAfter, UnknownOutcomeError } from "lockstep";

/** How the sentences of a question's errors begin. */
export interface QuestionWords {
  readonly answered: string;
  readonly unanswered: string;
  readonly unasked: string;
}

/** "The model answered about page 3 with 500": the words for a question about something, or about nothing in particular. */
export function questionAbout(matter?: string): QuestionWords {
  const about = matter === undefined ? "" : ` about ${matter}`;
  return {
    answered: `The model answered${about}`,
    unanswered: `The model had no answer${about}`,
    unasked: `The model could not be asked${about}`,
  };
}

export interface FailedQuestion {
  readonly words: QuestionWords;
  readonly settings: string;
  /** Null: it failed before its time was over. */
  readonly timedOutMs: number | null;
  readonly isLateUnknown: boolean;
  readonly nowMs: number;
}

// With these a provider says that the same question may be asked again. Other 4xx are about the question or the key.
const passing = new Set([408, 409, 425, 429]);
const longestMessage = 500;

/** What a failed question means for the job: whether to ask again, when, and whether it may have been answered. */
export function modelErrorOf(
  error: unknown,
  { words, settings, timedOutMs, isLateUnknown, nowMs }: FailedQuestion,
): Error {
  if (timedOutMs !== null) {
    const late = `${words.unanswered} within ${timedOutMs} ms.`;
    return isLateUnknown
      ? new UnknownOutcomeError(late, { cause: error })
      : new Error(late, { cause: error });
  }
  if (NoObjectGeneratedError.isInstance(error) || NoOutputGeneratedError.isInstance(error)) {
    return new ModelAnswerError(`${words.answered} in a different form than asked for.${spentOn(error)}`, {
      cause: error,
    });
  }
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return new Error(`${words.unasked}: ${messageOf(error)}`, { cause: error });
  }
  const { statusCode, responseHeaders } = error;
  if (statusCode < 300) {
    return new ModelAnswerError(`${words.answered} with something that is not a model's answer.`, {
      cause: error,
    });
  }
  const said = `${words.answered} with ${statusCode}: ${messageOf(error)}`;
  if (statusCode < 500 && !passing.has(statusCode)) {
    return new PermanentError(`${said.replace(/\.$/, "")}. See ${settings}.`, { cause: error });
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
  return (error instanceof Error ? error.message : String(error)).slice(0, longestMessage);
}
