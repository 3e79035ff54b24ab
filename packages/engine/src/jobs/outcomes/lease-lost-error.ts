import { brandError } from "@lockstep/database";

/** Another worker may run the job now: what this attempt does no longer counts. */
export class LeaseLostError extends Error {
  static {
    brandError(LeaseLostError, "LeaseLostError");
  }

  override readonly name = "LeaseLostError";
  readonly code = "lease_lost";
  readonly jobId: string;

  constructor(jobId: string, sentence: string, options?: { readonly cause?: unknown }) {
    super(`This worker has lost its claim on job ${jobId}, so another may run it. ${sentence}`, options);
    this.jobId = jobId;
  }
}
