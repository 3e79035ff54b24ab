import { cleanText } from "./clean-text.ts";
import { cutToJsonBytes } from "./cut-text.ts";
import type { JobError } from "./job.ts";

const nameLimit = 200;
const codeLimit = 100;
// Name, message and stack together stay under 8 KiB of JSON, punctuation included.
const messageLimitBytes = 3_000;
const totalLimitBytes = 7_600;
// A stack that repeats a long message would have no room for its frames.
const headlineLimit = 200;
// Leaves room for the causes.
const stackLimit = 3_000;
const causesShown = 4;
const framesOfCause = 3;

/** What is recorded of a thrown value, whatever it is; never throws itself. */
export function jobErrorOf(thrown: unknown): JobError {
  try {
    return describe(thrown);
  } catch {
    return { name: "NonError", message: "A value that cannot be read was thrown" };
  }
}

function describe(thrown: unknown): JobError {
  const name = nameOf(thrown);
  const message = cutToJsonBytes(clean(messageOf(thrown)), messageLimitBytes);
  const code = codeOf(thrown);
  const stackRoomBytes = totalLimitBytes - Buffer.byteLength(JSON.stringify({ name, message, code }));
  const stack = cutToJsonBytes(
    clean(stackOf(thrown).slice(0, stackLimit) + causesOf(thrown)),
    stackRoomBytes,
  );
  return { name, message, ...(stack && { stack }), ...(code && { code }) };
}

function nameOf(thrown: unknown): string {
  const name = read(thrown, "name");
  if (typeof name === "string" && name !== "") return clean(name.slice(0, nameLimit));
  return isErrorLike(thrown) ? "Error" : "NonError";
}

function codeOf(thrown: unknown): string {
  const code = read(thrown, "code");
  return typeof code === "string" || typeof code === "number" ? clean(String(code).slice(0, codeLimit)) : "";
}

function messageOf(thrown: unknown, depth = 0): string {
  if (typeof thrown === "string") return thrown;
  const message = read(thrown, "message");
  if (typeof message === "string" && message !== "") return message;
  // A connection refused on every address is an AggregateError with no message of its own.
  const errors = read(thrown, "errors");
  if (Array.isArray(errors) && errors.length > 0 && depth < causesShown) {
    const messages = errors.slice(0, causesShown).map((error: unknown) => messageOf(error, depth + 1));
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

function causesOf(thrown: unknown): string {
  let text = "";
  const seen = new Set<unknown>([thrown]);
  let cause = read(thrown, "cause");
  while (cause !== undefined && cause !== null && !seen.has(cause) && seen.size <= causesShown) {
    seen.add(cause);
    text += `\nCaused by: ${nameOf(cause)}: ${messageOf(cause).slice(0, 500)}${firstFramesOf(cause)}`;
    cause = read(cause, "cause");
  }
  return text;
}

function firstFramesOf(cause: unknown): string {
  const stack = read(cause, "stack");
  if (typeof stack !== "string") return "";
  const framesAt = stack.indexOf("\n    at ");
  if (framesAt < 0) return "";
  const frames = stack.slice(framesAt + 1, framesAt + 2_000).split("\n");
  return frames
    .slice(0, framesOfCause)
    .map((frame) => `\n${frame}`)
    .join("");
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

function isErrorLike(value: unknown): boolean {
  return typeof read(value, "stack") === "string";
}

// Cut first: cleaning and measuring a message of ten megabytes would stop the worker for a while.
function clean(text: string): string {
  return cleanText(text.length > totalLimitBytes ? text.slice(0, totalLimitBytes) : text);
}
