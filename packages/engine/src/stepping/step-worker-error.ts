import { brandError } from "@lockstep/database";
import type { AbortReason } from "../worker/running/run-abort.ts";

/** What is known of the attempt whose handler does not end. */
interface StuckAttempt {
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly attempt: number;
  readonly abortReason: AbortReason | null;
}

/** A handler did not end within the limit that a step has; its job stays claimed. */
export class HandlerStuckError extends Error {
  static {
    brandError(HandlerStuckError, "HandlerStuckError");
  }

  override readonly name = "HandlerStuckError";
  readonly jobId: string;

  constructor({ jobId, pipeline, stage, attempt, abortReason }: StuckAttempt, limitMs: number) {
    const what = `The handler of ${pipeline}/${stage} did not end within ${limitMs} ms of real time (job ${jobId}, attempt ${attempt}).`;
    super(
      abortReason === null
        ? `${what} It waits for something that does not come: the clock stands still while a handler runs, and no other job is run meanwhile. To test the stage's timeoutMs, move the clock while it waits; for slow work, raise handlerLimitMs.`
        : `${what} Its signal has aborted (${abortReason}), and it did not stop: pass context.signal on to what it waits for.`,
    );
    this.jobId = jobId;
  }
}
