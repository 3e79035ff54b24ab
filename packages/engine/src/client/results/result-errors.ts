import { brandError } from "@lockstep/database";
import type { JobError } from "../../jobs/reading/job.ts";

/** The job that somebody waited for has failed for good. */
export class JobFailedError extends Error {
  static {
    brandError(JobFailedError, "JobFailedError");
  }

  override readonly name = "JobFailedError";
  readonly jobId: string;
  /** What its last attempt ended with. */
  readonly error: JobError;

  constructor(jobId: string, error: JobError) {
    super(`Job ${jobId} failed: ${error.message || error.name}`, { cause: error });
    this.jobId = jobId;
    this.error = error;
  }
}

/** The job whose result was waited for was cancelled. */
export class JobCancelledError extends Error {
  static {
    brandError(JobCancelledError, "JobCancelledError");
  }

  override readonly name = "JobCancelledError";
  readonly jobId: string;

  constructor(jobId: string) {
    super(`Job ${jobId} was cancelled and has no result.`);
    this.jobId = jobId;
  }
}

/** Nobody waits any longer; the job itself is not touched. */
export class ResultTimeoutError extends Error {
  static {
    brandError(ResultTimeoutError, "ResultTimeoutError");
  }

  override readonly name = "ResultTimeoutError";
  readonly jobId: string;
  readonly timeoutMs: number;

  /** Whether there is such a job; null: nobody has looked. */
  constructor(jobId: string, timeoutMs: number, isKnown: boolean | null) {
    const advice =
      isKnown === false
        ? "There was no such job in that time: a transaction that adds it may still be open, or it was never added."
        : `${isKnown ? "It" : "If it was added, it"} continues; ask for its result again.`;
    super(`Job ${jobId} did not finish within ${timeoutMs} ms. ${advice}`);
    this.jobId = jobId;
    this.timeoutMs = timeoutMs;
  }
}

/** There is nothing to wait for. */
export class JobUnknownError extends Error {
  static {
    brandError(JobUnknownError, "JobUnknownError");
  }

  override readonly name = "JobUnknownError";
  readonly jobId: string;

  constructor(jobId: string) {
    super(
      `There is no job ${jobId}: it was never added, its transaction was rolled back, or it is past its retention.`,
    );
    this.jobId = jobId;
  }
}

/** The engine was stopped while somebody waited. */
export class WaitingStoppedError extends Error {
  static {
    brandError(WaitingStoppedError, "WaitingStoppedError");
  }

  override readonly name = "WaitingStoppedError";
  readonly jobId: string;

  constructor(jobId: string) {
    super(`The engine has stopped, so nobody waits for job ${jobId} here. The job itself is not touched.`);
    this.jobId = jobId;
  }
}

/** What was given as the id of a job is not a UUID. */
export class InvalidJobIdError extends Error {
  static {
    brandError(InvalidJobIdError, "InvalidJobIdError");
  }

  override readonly name = "InvalidJobIdError";

  constructor(id: unknown) {
    super(`${JSON.stringify(id) ?? String(id)} is not a job id: ids are UUIDs, as add() returns them.`);
  }
}
