import type { JobStatus, JobSummary } from "./job.ts";

/** A job of a list. */
export interface ListedJob extends JobSummary {
  /** The first 200 characters of its payload, where they were asked for. */
  readonly payloadPreview: string | null;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** The cursor of the page behind this one; null: there is none. */
  readonly next: string | null;
  /** The cursor of the page before this one; null: this is the first. */
  readonly previous: string | null;
  /** The look ended before the page was full, because no index serves the filter. There may be more at `next`, or `previous`. */
  readonly isCutShort: boolean;
  /** Up to which time of the list's order was looked, where it was cut short and the order is one of times. */
  readonly scannedTo: Date | null;
}

/** Where a job stands now: what of it changes. */
export interface JobRowNow {
  readonly id: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly progress: number | null;
  readonly progressNote: string | null;
  /** Tries of this stage that ended with their worker. */
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
  /** There are so many, not more. */
  readonly exact: boolean;
  /** It was counted only so far. */
  readonly capped: boolean;
}

export interface PageOptions {
  /** Default `-id`: newest first. */
  readonly sort?: string | undefined;
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
  /** `next` or `previous` of a page of the same filter and order. */
  readonly cursor?: string | undefined;
  /** Brings the beginning of each payload. */
  readonly preview?: boolean | undefined;
}
