import { cleanText } from "../values/clean-text.ts";

// Cut before anything else: cleaning and measuring a message of ten megabytes would stop the worker for a while.
const textLimit = 7_600;
const nameLimit = 200;
const codeLimit = 100;
const stackLimit = 3_000;
// A stack that repeats a long message would have no space left for its frames.
const headlineLimit = 200;
const errorsRead = 3;
const messagesJoined = 4;

/** What can be read from a thrown value or a cause: texts that can be stored, and its own causes. */
export interface ThrownParts {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly stack: string;
  /** Undefined when it has none. */
  readonly cause: unknown;
  /** The first errors of an AggregateError. */
  readonly errors: readonly unknown[];
  /** How many it has in all. */
  readonly errorCount: number;
}

/** Never throws, whatever was thrown. */
export function thrownParts(thrown: unknown): ThrownParts {
  try {
    return {
      name: nameOf(thrown),
      message: clean(messageOf(thrown), textLimit),
      code: codeOf(thrown),
      stack: clean(stackOf(thrown), stackLimit),
      cause: read(thrown, "cause") ?? undefined,
      ...errorsOf(thrown),
    };
  } catch {
    const message = "A value that cannot be read was thrown";
    return { name: "NonError", message, code: "", stack: "", cause: undefined, errors: [], errorCount: 0 };
  }
}

function nameOf(thrown: unknown): string {
  const name = read(thrown, "name");
  if (typeof name === "string" && name !== "") return clean(name, nameLimit);
  return isErrorLike(thrown) ? "Error" : "NonError";
}

function codeOf(thrown: unknown): string {
  const code = read(thrown, "code");
  return typeof code === "string" || typeof code === "number" ? clean(String(code), codeLimit) : "";
}

function messageOf(thrown: unknown, depth = 0): string {
  if (typeof thrown === "string") return thrown;
  const message = read(thrown, "message");
  if (typeof message === "string" && message !== "") return message;
  // A connection refused on every address is an AggregateError with no message of its own.
  const errors = read(thrown, "errors");
  if (isArray(errors) && errors.length > 0 && depth < messagesJoined) {
    const messages = errors.slice(0, messagesJoined).map((error) => messageOf(error, depth + 1));
    return messages.join("; ");
  }
  return isErrorLike(thrown) ? "" : asText(thrown);
}

/** The frames under a short headline. */
function stackOf(thrown: unknown): string {
  const stack = read(thrown, "stack");
  if (typeof stack !== "string") return "";
  const message = messageOf(thrown);
  if (message.length <= headlineLimit) return stack;
  const messageAt = stack.indexOf(message);
  if (messageAt < 0) return stack;
  const headline = stack.slice(0, Math.min(messageAt, headlineLimit)) + message.slice(0, headlineLimit);
  return `${headline}…${stack.slice(messageAt + message.length)}`;
}

function errorsOf(thrown: unknown): Pick<ThrownParts, "errors" | "errorCount"> {
  const all = read(thrown, "errors");
  if (!isArray(all)) return { errors: [], errorCount: 0 };
  // Promise.any gathers whatever was thrown, but plain objects are mostly a validator's issues.
  const errors = all.slice(0, errorsRead).filter((error) => typeof error !== "object" || isErrorLike(error));
  return { errors, errorCount: errors.length === 0 ? 0 : all.length };
}

function asText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

// A getter or a Proxy may throw at any touch.
function read(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

// Array.isArray throws at a revoked Proxy.
function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function isErrorLike(value: unknown): boolean {
  return typeof read(value, "stack") === "string";
}

function clean(text: string, limit: number): string {
  return cleanText(text.length > limit ? text.slice(0, limit) : text);
}
