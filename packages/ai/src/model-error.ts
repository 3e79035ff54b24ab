import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from "ai";
import {
  DatabaseUnavailableError,
  LeaseLostError,
  PermanentError,
  RetryAfter,
  StreamTooFastError,
  UnknownOutcomeError,
} from "lockstep";
import { askedWaitMs } from "./asked-wait-ms.ts";
import { type ModelUsage, modelUsageOf } from "./model-usage.ts";

/** The model answered, and the answer is of no use: cut short, or in another form than asked for. Another attempt may get a better one. */
export class ModelAnswerError extends Error {
  override readonly name = "ModelAnswerError";
  /** What it cost all the same; null where nobody knows. */
  readonly usage: ModelUsage | null;

  constructor(message: string, options: ErrorOptions & { readonly usage?: ModelUsage | null } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.usage = options.usage ?? null;
  }
}

/** The provider's filter has held the answer back: it would do so again. */
export class ModelFilterError extends PermanentError {
  override readonly name = "ModelFilterError";
  readonly usage: ModelUsage | null;

  constructor(message: string, options: { readonly usage: ModelUsage | null }) {
    super(message);
    this.usage = options.usage;
  }
}

/** How the error of a call is told. */
export interface ModelErrorOptions {
  /** What the model was asked about, for the sentence: "page 3". */
  readonly about?: string | undefined;
  /** What to look at when the provider refuses for good: "MODEL_NAME and the key of the provider". */
  readonly settings?: string | undefined;
  /** For a `Retry-After` that is a date; the clock's by default. */
  readonly nowMs?: number | undefined;
}

// With these a provider says that the same question may be asked again. Other 4xx are about the question or the key.
const passing = new Set([408, 409, 425, 429]);
// They mean the same in every attempt.
const lasting = [
  InvalidArgumentError,
  InvalidPromptError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
];
// What the engine has said, or a tool of the handler's that knows the engine.
const ofTheEngine = [
  DatabaseUnavailableError,
  LeaseLostError,
  ModelAnswerError,
  PermanentError,
  RetryAfter,
  StreamTooFastError,
  UnknownOutcomeError,
];
const longestMessage = 500;

/**
 * What a failed call of the AI SDK means for its job, as an error to be thrown: a PermanentError where another attempt would end the same way, a
 * RetryAfter where the provider says when to ask again, an UnknownOutcomeError where the answer may have been made and paid for.
 */
export function modelErrorOf(error: unknown, options: ModelErrorOptions = {}): Error {
  const { settings, nowMs = Date.now() } = options;
  const about = options.about === undefined ? "" : ` about ${options.about}`;
  if (isOfTheEngine(error)) return error;
  if (isLate(error)) {
    return new UnknownOutcomeError(`The model had no answer${about} in time: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (NoObjectGeneratedError.isInstance(error) || NoOutputGeneratedError.isInstance(error)) {
    return unfitAnswer(error, `The model answered${about}`);
  }
  if (lasting.some((type) => type.isInstance(error))) {
    return new PermanentError(`The model cannot be asked${about}: ${messageOf(error)}`, { cause: error });
  }
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return new Error(`The model could not be asked${about}: ${messageOf(error)}`, { cause: error });
  }
  const { statusCode, responseHeaders } = error;
  if (statusCode < 300) {
    const nonsense = `The model answered${about} with something that is not a model's answer.`;
    return new ModelAnswerError(nonsense, { cause: error });
  }
  const said = `The model answered${about} with ${statusCode}: ${messageOf(error)}`;
  if (statusCode < 500 && !passing.has(statusCode) && !error.isRetryable) {
    const hint = settings === undefined ? said : `${said.replace(/\.$/, "")}. See ${settings}.`;
    return new PermanentError(hint, { cause: error });
  }
  const afterMs = askedWaitMs(responseHeaders, nowMs);
  return afterMs === null
    ? new Error(said, { cause: error })
    : new RetryAfter(said, { afterMs, cause: error });
}

/** What an error says that its call has cost; null where it does not. */
export function usageIn(error: unknown): ModelUsage | null {
  return error instanceof ModelAnswerError || error instanceof ModelFilterError ? error.usage : null;
}

/** The same for an error in the middle of an answer, unless it says itself what it is. */
export function brokenOff(error: unknown, about: string): unknown {
  const isRefusal = APICallError.isInstance(error) && (error.statusCode ?? 0) >= 300;
  if (isRefusal || isOfTheEngine(error) || isLate(error)) return error;
  return new ModelAnswerError(`The model's answer about ${about} broke off: ${messageOf(error)}`, {
    cause: error,
  });
}

function unfitAnswer(error: NoObjectGeneratedError | NoOutputGeneratedError, answered: string): Error {
  const { usage: told, finishReason } = error as Partial<NoObjectGeneratedError>;
  const usage = told === undefined ? null : modelUsageOf(told);
  if (finishReason === "content-filter") return filtered(answered, usage);
  const wrong = firstIssue(error) ?? (finishReason === "length" ? "it was cut at maxOutputTokens" : null);
  const sentence = `${answered} in a different form than asked for${wrong === null ? "" : `: ${wrong}`}.`;
  const cost = usage === null ? "" : ` It cost ${usage.totalTokens} tokens.`;
  return new ModelAnswerError(sentence + cost, { cause: error, usage });
}

/** The error of an answer that the provider's filter has held back. */
export function filtered(answered: string, usage: ModelUsage | null): ModelFilterError {
  return new ModelFilterError(`${answered}, but the provider's filter has held the answer back.`, { usage });
}

/** What the schema's library has found first, with its place: "points: expected array". */
function firstIssue(error: unknown): string | null {
  let cause: unknown = error;
  for (let read = 0; read < 5 && typeof cause === "object" && cause !== null; read += 1) {
    const { issues } = cause as { issues?: unknown };
    const [issue] = Array.isArray(issues) ? (issues as { path?: unknown; message?: unknown }[]) : [];
    if (issue !== undefined) {
      const path = Array.isArray(issue.path) ? issue.path.map(keyOf).join(".") : "";
      return `${path === "" ? "" : `${path}: `}${String(issue.message).slice(0, longestMessage)}`;
    }
    if ((cause as Error).name === "AI_JSONParseError") return "it is not JSON";
    cause = (cause as Error).cause;
  }
  return null;
}

/** A step of a path of the Standard Schema is a key, or an object with one. */
function keyOf(step: unknown): string {
  return String(typeof step === "object" && step !== null ? (step as { key?: unknown }).key : step);
}

function isOfTheEngine(error: unknown): error is Error {
  return ofTheEngine.some((type) => error instanceof type);
}

function isLate(error: unknown): boolean {
  const name = (error as { name?: unknown } | null)?.name;
  return name === "TimeoutError" || name === "AbortError";
}

/** In a stream, providers tell errors as plain data. */
function messageOf(error: unknown): string {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { message?: unknown };
  return String(message ?? error).slice(0, longestMessage);
}
