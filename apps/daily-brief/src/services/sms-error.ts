import { retryAfterMs } from "@lockstep/guarded-fetch";
import { PermanentError, RetryAfter, UnknownOutcomeError } from "lockstep";

// What fails before a request is on its way.
const unsent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** No answer came. */
export function smsErrorOf(error: unknown): Error {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  if (typeof code === "string" && unsent.has(code)) {
    return new Error(`The SMS was not sent: the provider could not be reached (${code}).`);
  }
  return new UnknownOutcomeError("The provider did not say whether it took the SMS.", { cause: error });
}

/** The provider said no. */
export function smsRefusal(status: number, retryAfter: string | null, body: string): Error {
  const said = `The provider answered with ${status}: ${messageIn(body)}`;
  if (status === 429)
    return new RetryAfter(said, { afterMs: retryAfterMs(retryAfter, Date.now()) ?? 60_000 });
  // A number that does not exist, or that has asked for no more: 21211, 21610 and their like are all 4xx.
  if (status < 500) return new PermanentError(said);
  // 503 says that it did nothing. Others may have done it: the next try looks first.
  return status === 503 ? new Error(said) : new UnknownOutcomeError(said);
}

function messageIn(body: string): string {
  try {
    const { code, message } = JSON.parse(body) as { code?: unknown; message?: unknown };
    return `${String(message).slice(0, 300)}${code === undefined ? "" : ` (code ${code})`}`;
  } catch {
    return body.slice(0, 300);
  }
}
