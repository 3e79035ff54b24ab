import { brandError } from "@lockstep/database";
import { PermanentError } from "../outcomes/permanent-error.ts";
import { JsonRefusal, pointerTo } from "./json-refusal.ts";
import { plainCopy } from "./plain-copy.ts";
import { isPlainJson, type JsonLimits } from "./plain-json.ts";
import { mostStoredBytesPerCharacter, storedBytes } from "./stored-size.ts";

export interface PayloadIssue {
  /** Where in the payload, as a JSON pointer; "" is the payload itself. */
  readonly pointer: string;
  readonly message: string;
}

/** A payload that was refused when it was added. Nothing has changed. */
export class InvalidPayloadError extends PermanentError {
  static {
    brandError(InvalidPayloadError, "InvalidPayloadError");
  }

  override readonly name: string = "InvalidPayloadError";
  readonly code: string = "invalid_payload";
  /** Where the first thing that is wrong stands, as a JSON pointer; "" is the payload itself. */
  readonly pointer: string;
  readonly issues: readonly PayloadIssue[];

  constructor(message: string, issues: readonly PayloadIssue[], options?: ErrorOptions) {
    super(message, options);
    this.pointer = issues[0]?.pointer ?? "";
    this.issues = issues;
  }
}

/** The payload takes more room than a payload may. */
export class PayloadTooLargeError extends InvalidPayloadError {
  static {
    brandError(PayloadTooLargeError, "PayloadTooLargeError");
  }

  override readonly name = "PayloadTooLargeError";
  override readonly code = "payload_too_large";
}

/** A stage returned what JSON cannot carry; the attempt has failed, and another would end the same way. */
export class InvalidOutputError extends PermanentError {
  static {
    brandError(InvalidOutputError, "InvalidOutputError");
  }

  override readonly name = "InvalidOutputError";
  readonly code = "invalid_output";
  readonly pointer: string;

  constructor(message: string, pointer: string, options?: ErrorOptions) {
    super(message, options);
    this.pointer = pointer;
  }
}

const limitDepth = 64;
const payloadLimits: JsonLimits = {
  limitBytes: 256 * 1_024,
  limitDepth,
  isStrict: true,
  losesNumbers: false,
};
const outputLimits: JsonLimits = {
  limitBytes: 1_024 * 1_024,
  limitDepth,
  isStrict: false,
  losesNumbers: false,
};
const asideLimits: JsonLimits = { ...outputLimits, losesNumbers: true };

/** The payload as JSON text that PostgreSQL stores as it is, or an InvalidPayloadError. */
export function encodePayload(payload: unknown): string {
  try {
    const text = encode(payload, payloadLimits);
    if (text.includes("\\u") && hasUnstorableText(text)) refuseUnstorableText(JSON.parse(text), "");
    return text;
  } catch (thrown) {
    if (!(thrown instanceof JsonRefusal)) throw thrown;
    const { pointer, message, cause } = thrown;
    if (thrown.isTooLarge) {
      const sentence =
        "The payload is larger than 256 KiB as JSON: keep large data elsewhere and pass its key.";
      throw new PayloadTooLargeError(sentence, [{ pointer, message }]);
    }
    const sentence = `The payload is not valid: ${pointer || "it"} ${message}.`;
    throw new InvalidPayloadError(sentence, [{ pointer, message }], cause === undefined ? {} : { cause });
  }
}

/**
 * A stage's output as JSON text; null for undefined. NaN and NUL would come back as something else, and are refused. Half of a
 * surrogate pair, which is what is left where a text was cut, is replaced as any text encoder does.
 */
export function encodeOutput(output: unknown): string | null {
  return encodeWith(output, outputLimits, (text) => {
    if (/\\u0000/.test(text)) refuseNul(JSON.parse(text), "");
  });
}

/** For logs, progress and reports: nothing in them may fail a job, so unusable values are replaced. */
export function encodeAside(value: unknown): string | null {
  return encodeWith(value, asideLimits, () => {});
}

function encodeWith(output: unknown, limits: JsonLimits, check: (text: string) => void): string | null {
  if (output === undefined) return null;
  try {
    const text = encode(output, limits);
    if (!text.includes("\\u")) return text;
    check(text);
    return text.replace(escapes, withoutUnstorable);
  } catch (thrown) {
    if (!(thrown instanceof JsonRefusal)) throw thrown;
    const { pointer, message, cause } = thrown;
    const sentence = thrown.isTooLarge
      ? "The output is larger than 1 MiB as JSON: keep large data elsewhere and return its key."
      : `The output is not valid: ${pointer || "it"} ${message}.`;
    throw new InvalidOutputError(sentence, pointer, cause === undefined ? {} : { cause });
  }
}

function encode(value: unknown, limits: JsonLimits): string {
  const text = stringify(value, limits) ?? "null";
  const mayBeTooLarge = text.length * mostStoredBytesPerCharacter > limits.limitBytes;
  if (mayBeTooLarge && storedBytes(text) > limits.limitBytes) {
    throw new JsonRefusal("", "is too large", { isTooLarge: true });
  }
  return text;
}

function stringify(value: unknown, limits: JsonLimits): string | undefined {
  try {
    if (isPlainJson(value, limits)) return JSON.stringify(value);
  } catch {
    // A getter or a Proxy threw; the careful copy says where.
  }
  return JSON.stringify(plainCopy(value, limits));
}

// Every escape is matched whole, so that the six letters \u0000 in a text ("\\u0000") are left alone.
const escapes = /\\(?:u(0000|d[89a-f][0-9a-f]{2})|.)/g;

function withoutUnstorable(escaped: string, unstorable: string | undefined): string {
  return unstorable === undefined ? escaped : "\uFFFD";
}

function hasUnstorableText(text: string): boolean {
  for (const match of text.matchAll(escapes)) if (match[1] !== undefined) return true;
  return false;
}

function refuseUnstorableText(value: unknown, pointer: string, problemIn = unstorableIn): void {
  if (typeof value === "string") {
    const problem = problemIn(value);
    if (problem) throw new JsonRefusal(pointer, `holds ${problem}, which PostgreSQL cannot store`);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const problem = problemIn(key);
    if (problem) throw new JsonRefusal(pointer, `has a key with ${problem}, which PostgreSQL cannot store`);
    refuseUnstorableText(part, pointerTo(pointer, key), problemIn);
  }
}

function refuseNul(value: unknown, pointer: string): void {
  refuseUnstorableText(value, pointer, nulIn);
}

function unstorableIn(text: string): string | null {
  return nulIn(text) ?? (/\p{Surrogate}/u.test(text) ? "half of a surrogate pair" : null);
}

function nulIn(text: string): string | null {
  return text.includes("\0") ? "a NUL character" : null;
}
