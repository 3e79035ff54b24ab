import type { JobError } from "../jobs/job.ts";

/** The job one waited for is failed for good. */
export class JobFailedError extends Error {
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

export class JobCancelledError extends Error {
  override readonly name = "JobCancelledError";
  readonly jobId: string;

  constructor(jobId: string) {
    super(`Job ${jobId} was cancelled and has no result.`);
    this.jobId = jobId;
  }
}

/** Nobody waits any longer; the job itself is not touched. */
export class ResultTimeoutError extends Error {
  override readonly name = "ResultTimeoutError";
  readonly jobId: string;
  readonly timeoutMs: number;

  constructor(jobId: string, timeoutMs: number) {
    super(`Job ${jobId} did not finish within ${timeoutMs} ms. It goes on; ask for its result again.`);
    this.jobId = jobId;
    this.timeoutMs = timeoutMs;
  }
}

/** The engine was stopped while somebody waited. */
export class WaitingStoppedError extends Error {
  override readonly name = "WaitingStoppedError";
  readonly jobId: string;

  constructor(jobId: string) {
    super(`The engine has stopped, so nobody waits for job ${jobId} here. The job itself is not touched.`);
    this.jobId = jobId;
  }
}

export class InvalidJobIdError extends Error {
  override readonly name = "InvalidJobIdError";

  constructor(id: unknown) {
    super(`${JSON.stringify(id) ?? String(id)} is no job id: ids are UUIDs, as add() gives them.`);
  }
}
