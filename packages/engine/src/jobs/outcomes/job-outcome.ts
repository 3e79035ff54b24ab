import type { JobError, JobId } from "../reading/job.ts";

/** What became of a job of a batch, or of a child. */
export type JobOutcome<Result = unknown> =
  | {
      readonly id: JobId<Result>;
      readonly status: "completed";
      readonly result: Result;
      readonly error: null;
    }
  | {
      readonly id: JobId<Result>;
      readonly status: "failed" | "cancelled";
      readonly result: null;
      /** Null for a cancelled one. */
      readonly error: JobError | null;
    };

/** What a job has waited for, in the order it was added. Read when asked for, a page at a time. */
export interface Children<Result = unknown> extends AsyncIterable<JobOutcome<Result>> {
  /** All of them at once, in memory. */
  all(): Promise<JobOutcome<Result>[]>;
  /** What the completed ones returned. */
  results(): Promise<Result[]>;
}
