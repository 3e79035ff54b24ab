import { didYouMean } from "../values/nearest-name.ts";
import { JobFilterError } from "./job-filter.ts";

/** Errors that count as the same: of one stage, with the same name, and with messages that differ only in numbers, ids and quotes. */
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
  /** The job that last failed with it. */
  readonly sampleId: string;
  /** The pipeline has more failures than were looked at: there are at least so many jobs. */
  readonly capped: boolean;
}

/** Which kinds of errors are listed, and in which order. */
export interface ErrorFilter {
  readonly pipeline?: string | undefined;
  /** Of the pipeline. */
  readonly stage?: string | undefined;
  /** Failed since then. */
  readonly since?: Date | undefined;
  /** 1 to 1,000 kinds; default 100. */
  readonly limit?: number | undefined;
  /** `-lastAt`, those seen last first, which is the default, or `-jobs`, those of most jobs. */
  readonly sort?: string | undefined;
}

export const errorSorts: readonly string[] = ["-lastAt", "-jobs"];

const names = ["pipeline", "stage", "since", "limit", "sort"];

export function checkErrorFilter(filter: ErrorFilter): void {
  for (const name of Object.keys(filter)) {
    if (names.includes(name)) continue;
    throw new JobFilterError(`Unknown name "${name}" in a filter of errors.${didYouMean(name, names)}`);
  }
  const { since, limit = 100, stage, pipeline, sort = "-lastAt" } = filter;
  if (!errorSorts.includes(sort)) {
    throw new JobFilterError(`The errors are sorted by -lastAt or -jobs, not by "${sort}".`);
  }
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
