import { JobFilterError } from "./job-filter.ts";
import { didYouMean } from "./nearest-name.ts";

/** Errors that failed jobs share: of one stage, with one name, and a message that differs in numbers, ids and quotes at most. */
export interface ErrorKind {
  /** As the `error` of a filter takes it. */
  readonly fingerprint: string;
  readonly pipeline: string;
  readonly stage: string;
  /** Of the last one. */
  readonly name: string | null;
  readonly message: string | null;
  readonly jobs: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The job that failed so last. */
  readonly sampleId: string;
  /** There are more failures than were looked at: the numbers are those of the newest. */
  readonly capped: boolean;
}

export interface ErrorFilter {
  readonly pipeline?: string | undefined;
  /** Of the pipeline. */
  readonly stage?: string | undefined;
  /** Failed since then. */
  readonly since?: Date | undefined;
  /** 1 to 1,000 kinds; default 100. */
  readonly limit?: number | undefined;
}

const names = ["pipeline", "stage", "since", "limit"];

export function checkErrorFilter(filter: ErrorFilter): void {
  for (const name of Object.keys(filter)) {
    if (names.includes(name)) continue;
    throw new JobFilterError(`Unknown name "${name}" in a filter of errors.${didYouMean(name, names)}`);
  }
  const { since, limit = 100, stage, pipeline } = filter;
  if (since !== undefined && !(since instanceof Date && !Number.isNaN(since.getTime()))) {
    throw new JobFilterError("since must be a valid Date.");
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw new JobFilterError("limit must be a whole number from 1 to 1,000.");
  }
  if (stage !== undefined && pipeline === undefined) {
    throw new JobFilterError("A stage needs its pipeline in a filter of errors.");
  }
}
