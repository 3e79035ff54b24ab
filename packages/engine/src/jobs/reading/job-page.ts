import type { JobStatus, JobSummary } from "./job.ts";

/** A job of a list. */
export interface ListedJob extends JobSummary {
  /** The first 200 characters of its payload, where they were asked for. */
  readonly payloadPreview: string | null;
}

/** One page of a list of jobs. */
export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** The cursor of the page behind this one; null: there is none. */
  readonly next: string | null;
  /** The cursor of the page before this one; null: this is the first. */
  readonly previous: string | null;
  /** The look ended before the page was full, because no index serves the filter. There may be more at `next`, or `previous`. */
  readonly isCutShort: boolean;
  /** If the look was cut short and the list is ordered by a time: the time up to which it has looked. */
  readonly scannedTo: Date | null;
}

/** Where a job stands now: the parts of it that change. */
export interface JobRowNow {
  readonly id: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly progress: number | null;
  readonly progressNote: string | null;
  /** Attempts of this stage that ended with their worker. */
  readonly losses: number;
  readonly owner: string | null;
  readonly scheduledFor: Date | null;
  readonly claimedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly cancelRequestedAt: Date | null;
  readonly workerId: string | null;
  /** Of its last move: claimed, ended an attempt, finished, or added. */
  readonly updatedAt: Date;
}

/** How many jobs a filter means. */
export interface JobCount {
  readonly value: number;
  /** Whether the number is exact. */
  readonly exact: boolean;
  /** Whether the count stopped at this number. */
  readonly capped: boolean;
}

/** Which page of a list, and in which order. */
export interface PageOptions {
  /** Default `-id`: newest first. */
  readonly sort?: string | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
  /** `next` or `previous` of a page of the same filter and order. */
  readonly cursor?: string | undefined;
  /** Whether each job comes with the beginning of its payload. */
  readonly preview?: boolean | undefined;
}
