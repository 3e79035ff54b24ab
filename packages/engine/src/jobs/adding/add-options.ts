import { brandError } from "@lockstep/database";
import { didYouMean } from "../values/nearest-name.ts";
import { type Dedup, dedupComplaint } from "./dedup.ts";

/** What can be said of a job when it is added. */
export interface AddOptions {
  /** 1 to 20, the smaller the sooner; default 10. */
  readonly priority?: number | undefined;
  /** Not before this time; at most 5 years ahead. */
  readonly scheduledFor?: Date | undefined;
  /** While a job of this pipeline and owner with the same key is live, an add returns that one. */
  readonly dedupKey?: string | undefined;
  /** What the key does beyond that: hold for a time, throttle, or debounce. */
  readonly dedup?: Dedup | undefined;
  /** The user or tenant the job belongs to. */
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Jobs of one key take turns with those of others, and share the group limits of their stages. */
  readonly groupKey?: string | undefined;
  /** When it has not started by then, it never will: it ends as failed. */
  readonly startBy?: Date | undefined;
  /** A name by which `signalByKey` finds the job, such as the number of an order. It belongs to one live job of the pipeline. */
  readonly signalKey?: string | undefined;
  /** A UUID of the caller's own: adding it twice adds it once. */
  readonly id?: string | undefined;
}

/** For a whole call of add or addMany. */
export interface TransactionOption {
  /** An open transaction of pg, postgres.js, Prisma, Drizzle, Kysely, Knex or TypeORM: the job is added if it commits. */
  readonly tx?: object;
}

/** An option of an add that cannot be used. Nothing has changed. */
export class AddOptionError extends Error {
  static {
    brandError(AddOptionError, "AddOptionError");
  }

  override readonly name = "AddOptionError";
}

// Beyond these years a Date is written in a way that PostgreSQL does not read.
const firstMs = Date.parse("0001-01-01T00:00:00Z");
const lastMs = Date.parse("9999-12-31T00:00:00Z");

const checks: Record<keyof AddOptions, (value: unknown) => string | null> = {
  priority: (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 20
      ? null
      : "must be a whole number from 1 (first) to 20",
  scheduledFor: date,
  startBy: date,
  groupKey: shortText,
  dedupKey: shortText,
  signalKey: shortText,
  dedup: dedupComplaint,
  owner: shortText,
  tags: (value) =>
    Array.isArray(value) && value.length <= 20 && value.every((tag) => shortText(tag) === null)
      ? null
      : "must be at most 20 texts of 1 to 255 bytes each",
  id: (value) =>
    typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
      ? null
      : "must be a UUID",
};

/** Refuses an unknown option, or a value that cannot be used, with a sentence. */
export function checkAddOptions(options: AddOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new AddOptionError("The options of an add must be an object such as { priority: 5 }.");
  }
  for (const [name, value] of Object.entries(options)) {
    if (name === "tx") {
      throw new AddOptionError("tx is for the whole call: addMany(pipeline, items, { tx }).");
    }
    if (!Object.hasOwn(checks, name)) {
      throw new AddOptionError(
        `Unknown option "${name}" of an add.${didYouMean(name, [...Object.keys(checks), "tx"])}`,
      );
    }
    const complaint = value === undefined ? null : checks[name as keyof AddOptions](value);
    if (complaint !== null) throw new AddOptionError(`${name} ${complaint}.`);
  }
  refuseContradictions(options);
}

function refuseContradictions({ dedup, dedupKey, scheduledFor, startBy }: AddOptions): void {
  if (dedup !== undefined && dedupKey === undefined) {
    throw new AddOptionError("dedup is a mode of a dedupKey, and needs one.");
  }
  if (dedup !== undefined && "debounceMs" in dedup && scheduledFor !== undefined) {
    throw new AddOptionError("scheduledFor cannot be used with debounceMs, which gives the job its time.");
  }
  if (startBy !== undefined && scheduledFor !== undefined && startBy <= scheduledFor) {
    throw new AddOptionError("startBy must be after scheduledFor: before that the job cannot start.");
  }
}

function date(value: unknown): string | null {
  return value instanceof Date && value.getTime() >= firstMs && value.getTime() <= lastMs
    ? null
    : "must be a valid Date of the years 1 to 9999";
}

/** The same for the options of a whole addMany: with a misspelt tx the jobs would be added outside the transaction. */
export function checkAddManyOptions(options: TransactionOption): void {
  for (const name of Object.keys(options ?? {})) {
    if (name === "tx") continue;
    throw new AddOptionError(`Unknown option "${name}" of addMany.${didYouMean(name, ["tx"])}`);
  }
}

function shortText(value: unknown): string | null {
  if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) {
    return "must be text without NUL characters and half surrogates";
  }
  const bytes = Buffer.byteLength(value);
  return bytes >= 1 && bytes <= 255 ? null : `must have 1 to 255 bytes, not ${bytes}`;
}
