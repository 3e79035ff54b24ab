import type { StandardSchemaV1 } from "@standard-schema/spec";
import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import { longestDelayMs } from "./retry-policy.ts";

/** What a wait is for, and how long. */
export interface WaitOptions<
  Schema extends StandardSchemaV1 = StandardSchemaV1,
  OnTimeout extends string = string,
> {
  /** Checks and types the signal: any Standard Schema validator. Without it, any JSON will do. */
  readonly signal?: Schema | undefined;
  /** How long a job waits at most; without it, as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** What becomes of a job then: "fail" (the default), "continue" (the next stage gets null), or the name of a later stage. */
  readonly onTimeout?: OnTimeout | undefined;
  /** Who cannot signal: "owner" keeps the owner of a job from deciding on it. A signal must then say who it is from. */
  readonly notBy?: "owner" | undefined;
}

/** How long a sleep lasts. */
export interface SleepOptions {
  readonly forMs: number;
}

export interface CompleteWait {
  readonly kind: "wait" | "sleep";
  /** Null: as long as it takes. */
  readonly waitMs: number | null;
  readonly onTimeout: string | null;
  readonly notBy: "owner" | null;
  readonly schema: StandardSchemaV1 | null;
}

const waitOptionNames = ["signal", "timeoutMs", "onTimeout", "notBy"];

/** Checks the options of a wait and fills in the defaults; `where` names it in the refusal. */
export function completeWait(options: WaitOptions, where: string): CompleteWait {
  refuseUnknown(options, waitOptionNames, where, "{ signal: schema, timeoutMs: 86_400_000 }");
  const { signal = null, timeoutMs, onTimeout, notBy } = options;
  if (signal !== null && typeof signal["~standard"]?.validate !== "function") {
    throw new DefinitionError(
      `signal of ${where} must be a Standard Schema validator, for example a zod schema.`,
    );
  }
  if (timeoutMs !== undefined) checkSpan("timeoutMs", timeoutMs, where);
  if (onTimeout !== undefined && (typeof onTimeout !== "string" || onTimeout === "")) {
    throw new DefinitionError(
      `onTimeout of ${where} must be "fail", "continue" or the name of a later stage.`,
    );
  }
  if (onTimeout !== undefined && timeoutMs === undefined) {
    throw new DefinitionError(
      `onTimeout of ${where} needs a timeoutMs: without it, it waits as long as it takes.`,
    );
  }
  if (notBy !== undefined && notBy !== "owner") {
    throw new DefinitionError(`notBy of ${where} can only be "owner".`);
  }
  return {
    kind: "wait",
    waitMs: timeoutMs ?? null,
    onTimeout: onTimeout ?? "fail",
    notBy: notBy ?? null,
    schema: signal,
  };
}

/** The same for a sleep. */
export function completeSleep(options: SleepOptions, where: string): CompleteWait {
  refuseUnknown(options, ["forMs"], where, "{ forMs: 3_600_000 }");
  checkSpan("forMs", options.forMs, where);
  return { kind: "sleep", waitMs: options.forMs, onTimeout: null, notBy: null, schema: null };
}

function refuseUnknown(options: object, names: readonly string[], where: string, example: string): void {
  if (typeof options !== "object" || options === null) {
    throw new DefinitionError(`The options of ${where} must be an object such as ${example}.`);
  }
  for (const key of Object.keys(options)) {
    if (names.includes(key)) continue;
    throw new DefinitionError(`Unknown option "${key}" of ${where}.${didYouMean(key, names)}`);
  }
}

function checkSpan(name: string, ms: unknown, where: string): void {
  if (typeof ms === "number" && Number.isInteger(ms) && ms >= 1 && ms <= longestDelayMs) return;
  throw new DefinitionError(
    `${name} of ${where} must be a whole number of milliseconds from 1 to ${longestDelayMs} (5 years).`,
  );
}
