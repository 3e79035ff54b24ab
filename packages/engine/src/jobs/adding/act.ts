import { brandError } from "@lockstep/database";
import { cleanText } from "../values/clean-text.ts";
import { didYouMean } from "../values/nearest-name.ts";

/** What a person does to the queue, as it is recorded. */
export interface Act {
  /** Who does it; idempotency keys are this user's own. */
  readonly user: string;
  /** If the user may act only on the jobs of one owner: that owner. Idempotency keys then belong to user and owner together. */
  readonly owner?: string | null | undefined;
  /** A verb such as "jobs.cancel", "stages.pause" or "bulk.start". */
  readonly action: string;
  /** To what, such as "jobs/<id>" or "stages/<pipeline>/<stage>"; without it, what the first write was done to. */
  readonly target?: string | undefined;
  readonly requestId?: string | undefined;
  /** What else is worth knowing later, in a few words: at most 8 KiB of JSON, and no payloads. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  /** The same request under the same key is done once, and gets the same answer however often it comes. */
  readonly idempotency?: { readonly key: string; readonly requestHash: string } | undefined;
}

/** An act that cannot be recorded as it was given. Nothing was done. */
export class ActError extends Error {
  static {
    brandError(ActError, "ActError");
  }

  override readonly name = "ActError";
}

const text = (most: number) => (value: unknown) =>
  typeof value === "string" && value !== "" && value.length <= most && cleanText(value) === value
    ? null
    : `must be a text of 1 to ${most} characters`;

const checks: Record<keyof Act, (value: unknown) => string | null> = {
  user: text(255),
  owner: (value) =>
    value === null || (typeof value === "string" && value !== "" && Buffer.byteLength(value) <= 255)
      ? null
      : "must be a text of 1 to 255 bytes",
  action: (value) =>
    typeof value === "string" && value.length <= 100 && /^[a-z]+\.[a-z_]+$/.test(value)
      ? null
      : 'must be a verb such as "jobs.cancel"',
  target: text(600),
  requestId: text(255),
  detail: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? null : "must be an object",
  idempotency: (value) => {
    const { key, requestHash } = (value ?? {}) as { key?: unknown; requestHash?: unknown };
    if (text(255)(key) !== null) return "must have a key of 1 to 255 characters";
    return text(255)(requestHash) === null ? null : "must have the requestHash of what is asked";
  },
};

/** Refuses what cannot be recorded, with a sentence, before anything is done. */
export function checkAct(act: Act): void {
  if (typeof act !== "object" || act === null) {
    throw new ActError('An act must be an object such as { user: "ada", action: "jobs.cancel" }.');
  }
  for (const name of Object.keys(act)) {
    if (!Object.hasOwn(checks, name)) {
      throw new ActError(`Unknown part "${name}" of an act.${didYouMean(name, Object.keys(checks))}`);
    }
  }
  for (const [name, check] of Object.entries(checks)) {
    const value = act[name as keyof Act];
    const isNeeded = name === "user" || name === "action";
    const complaint = value === undefined && !isNeeded ? null : check(value);
    if (complaint !== null) throw new ActError(`The ${name} of an act ${complaint}.`);
  }
}
