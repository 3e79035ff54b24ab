import { brandError } from "@lockstep/database";

/** Thrown from the function of an effect, it says that the effect may have happened or not. */
export class UnknownOutcomeError extends Error {
  static {
    brandError(UnknownOutcomeError, "UnknownOutcomeError");
  }

  override readonly name: string = "UnknownOutcomeError";
}

const causesRead = 5;

// A request that was sent and had no answer. What failed while connecting was never sent.
const codesInDoubt = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ESOCKETTIMEDOUT",
  "ECONNABORTED",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_ABORTED",
]);
// Many clients say it in the name of the class only.
const namesInDoubt = /(?:Abort|(?<!^Connect)Timeout)(?:Error)?$/;

/** Whether what an effect threw leaves open if it happened: aborted, timed out, or cut off before the answer. */
export function leavesOpen(thrown: unknown): boolean {
  let error = thrown;
  for (let read = 0; read < causesRead && typeof error === "object" && error !== null; read += 1) {
    try {
      if (error instanceof UnknownOutcomeError) return true;
      const parts = error as ErrorParts;
      if (failedToConnect(parts)) return false;
      if (codesInDoubt.has(String(parts.code))) return true;
      if (namesInDoubt.test(String(parts.name)) || namesInDoubt.test(String(parts.constructor?.name)))
        return true;
      error = parts.cause;
    } catch {
      // A getter or a Proxy threw: nothing can be known of this one.
      return true;
    }
  }
  return false;
}

interface ErrorParts {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly constructor?: { readonly name?: unknown } | undefined;
  readonly syscall?: unknown;
  readonly errors?: unknown;
}

/** On its one address, or on each of several. */
function failedToConnect({ syscall, errors }: ErrorParts): boolean {
  if (syscall === "connect") return true;
  return Array.isArray(errors) && errors.length > 0 && errors.every((one) => one?.syscall === "connect");
}
