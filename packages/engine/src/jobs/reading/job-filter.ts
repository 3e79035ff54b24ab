import { brandError } from "@lockstep/database";
import { didYouMean } from "../values/nearest-name.ts";
import type { JobStatus } from "./job.ts";

/** Which jobs: every condition that is given must hold. Lists, counts and bulk actions take the same filter. */
export interface JobFilter {
  /** Any of these. */
  readonly statuses?: readonly JobStatus[] | undefined;
  readonly pipeline?: string | undefined;
  /** Of the pipeline, or of any when none is given. */
  readonly stage?: string | undefined;
  readonly owner?: string | undefined;
  readonly groupKey?: string | undefined;
  readonly dedupKey?: string | undefined;
  /** One of its tags. */
  readonly tag?: string | undefined;
  /** Holds the job, or ran its last attempt. */
  readonly workerId?: string | undefined;
  readonly batchId?: string | undefined;
  /** The fingerprint of the error a job failed with. */
  readonly error?: string | undefined;
  readonly addedAfter?: Date | undefined;
  readonly addedBefore?: Date | undefined;
  /** What the payload must contain, at the same place. */
  readonly payload?: object | undefined;
  readonly ids?: readonly string[] | undefined;
}

/** A filter that cannot be used. */
export class JobFilterError extends Error {
  static {
    brandError(JobFilterError, "JobFilterError");
  }

  override readonly name = "JobFilterError";
  /** The word that is wrong, where the filter was a text. */
  readonly word: string | null;
  /** At which character of the text it begins, from 1. */
  readonly at: number | null;

  constructor(message: string, place: { readonly word: string; readonly at: number } | null = null) {
    super(message);
    this.word = place?.word ?? null;
    this.at = place?.at ?? null;
  }
}

/** In the order of a job's life. */
export const jobStatuses: readonly JobStatus[] = [
  "scheduled",
  "pending",
  "processing",
  "retrying",
  "completed",
  "failed",
  "cancelled",
];

/** The most ids that one filter takes. */
export const idsPerFilter = 200;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const text = (value: unknown) =>
  typeof value === "string" && value !== "" && value.length <= 1_000 && !value.includes("\u0000")
    ? null
    : "must be a text of 1 to 1,000 characters";
const id = (value: unknown) => (typeof value === "string" && uuid.test(value) ? null : "must be a UUID");
const date = (value: unknown) =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? null : "must be a valid Date";

const checks: Record<keyof JobFilter, (value: unknown) => string | null> = {
  statuses: statusesComplaint,
  pipeline: text,
  stage: text,
  owner: text,
  groupKey: text,
  dedupKey: text,
  tag: text,
  workerId: id,
  batchId: id,
  error: text,
  addedAfter: date,
  addedBefore: date,
  payload: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? null
      : "must be an object such as { customer: 7 }",
  ids: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= idsPerFilter &&
    value.every((one) => id(one) === null)
      ? null
      : `must be 1 to ${idsPerFilter} UUIDs`,
};

/** Refuses an unknown name, or a value that cannot be used, with a sentence. */
export function checkJobFilter(filter: JobFilter): void {
  if (typeof filter !== "object" || filter === null) {
    throw new JobFilterError('A filter of jobs must be an object such as { statuses: ["failed"] }.');
  }
  for (const [name, value] of Object.entries(filter)) {
    if (!Object.hasOwn(checks, name)) {
      throw new JobFilterError(
        `Unknown name "${name}" in a filter of jobs.${didYouMean(name, Object.keys(checks))}`,
      );
    }
    const complaint = value === undefined ? null : checks[name as keyof JobFilter](value);
    if (complaint !== null) throw new JobFilterError(`${name} ${complaint}.`);
  }
}

/** ` must be …` for an unknown status, with the nearest known one. */
export function statusComplaint(status: string): string | null {
  if ((jobStatuses as readonly string[]).includes(status)) return null;
  return `There is no status "${status}", only ${jobStatuses.join(", ")}.${didYouMean(status, jobStatuses)}`;
}

function statusesComplaint(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0) return 'must be statuses such as ["failed", "cancelled"]';
  const unknown = value.find((one) => statusComplaint(String(one)) !== null);
  return unknown === undefined ? null : `must be of ${jobStatuses.join(", ")}, not "${unknown}"`;
}
