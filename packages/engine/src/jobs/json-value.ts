import { JsonRefusal, pointerTo } from "./json-refusal.ts";
import { PermanentError } from "./permanent-error.ts";
import { plainCopy } from "./plain-copy.ts";
import { isPlainJson, type JsonLimits } from "./plain-json.ts";
import { mostStoredBytesPerCharacter, storedBytes } from "./stored-size.ts";

export interface PayloadIssue {
  /** Where in the payload, as a JSON pointer; "" is the payload itself. */
  readonly pointer: string;
  readonly message: string;
}

/** A payload that was refused at the door. Nothing has changed. */
export class InvalidPayloadError extends PermanentError {
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

export class PayloadTooLargeError extends InvalidPayloadError {
  override readonly name = "PayloadTooLargeError";
  override readonly code = "payload_too_large";
}

/** A stage returned what JSON cannot carry; the attempt has failed, and another would end the same way. */
export class InvalidOutputError extends PermanentError {
  override readonly name = "InvalidOutputError";
  readonly code = "invalid_output";
  readonly pointer: string;

  constructor(message: string, pointer: string, options?: ErrorOptions) {
    super(message, options);
    this.pointer = pointer;
  }
}

const payloadLimits: JsonLimits = { limitBytes: 256 * 1_024, limitDepth: 64, isStrict: true };
const outputLimits: JsonLimits = { limitBytes: 1_024 * 1_024, limitDepth: 64, isStrict: false };

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

/** A stage's output as JSON text, with what PostgreSQL cannot store replaced; null for undefined. */
export function encodeOutput(output: unknown): string | null {
  if (output === undefined) return null;
  try {
    const text = encode(output, outputLimits);
    return text.includes("\\u") ? text.replace(escapes, withoutUnstorable) : text;
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

function refuseUnstorableText(value: unknown, pointer: string): void {
  if (typeof value === "string") {
    const problem = unstorableIn(value);
    if (problem) throw new JsonRefusal(pointer, `holds ${problem}, which PostgreSQL cannot store`);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const problem = unstorableIn(key);
    if (problem) throw new JsonRefusal(pointer, `has a key with ${problem}, which PostgreSQL cannot store`);
    refuseUnstorableText(part, pointerTo(pointer, key));
  }
}

function unstorableIn(text: string): string | null {
  if (text.includes("\0")) return "a NUL character";
  return /\p{Surrogate}/u.test(text) ? "half of a surrogate pair" : null;
}
