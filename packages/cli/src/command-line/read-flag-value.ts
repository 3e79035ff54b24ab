import { didYouMean } from "lockstep/internal";
import { usageError } from "../errors/cli-error.ts";
import type { Flag } from "./flags.ts";
import { readSpan } from "./read-span.ts";

/** The value of a flag in its type; refuses one that cannot be used with a sentence. */
export function readFlagValue(name: string, flag: Flag, text: string, now: Date): unknown {
  switch (flag.type) {
    case "number":
      return readNumber(name, flag, text);
    case "span":
      return readSpan(text) ?? refuse(name, text, "a length of time such as 30s, 15m, 24h or 7d");
    case "instant":
      return readInstant(text) ?? refuse(name, text, "a time such as 2027-01-31T09:00:00Z");
    case "time":
      return (
        readTime(text, now) ??
        refuse(name, text, "a time such as 2027-01-31T09:00:00Z, or how long ago, such as 24h")
      );
    default:
      return readText(name, flag, text);
  }
}

function readText(name: string, { choices }: Flag, text: string): string {
  if (choices === undefined || choices.includes(text)) return text;
  throw usageError(
    `--${name} must be one of ${choices.join(", ")}, not "${text}".${didYouMean(text, choices)}`,
  );
}

function readNumber(name: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Flag, text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return refuse(name, text, `a whole number ${range}`);
}

function readTime(text: string, now: Date): Date | null {
  const agoMs = readSpan(text);
  return agoMs === null ? readInstant(text) : new Date(now.getTime() - agoMs);
}

/** A time without a zone is the reader's own, as everywhere else on the machine. */
function readInstant(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return null;
  const time = new Date(text.replace(" ", "T"));
  return Number.isNaN(time.getTime()) ? null : time;
}

function refuse(name: string, text: string, what: string): never {
  throw usageError(`--${name} must be ${what}, not "${text}".`);
}
