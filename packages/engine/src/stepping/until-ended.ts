import { type Clock, systemClock } from "../clock.ts";
import type { Outcome } from "../jobs/outcomes/outcome.ts";
import type { JobRun } from "../worker/running/job-run.ts";
import { HandlerStuckError } from "./step-worker-error.ts";

export interface Ended {
  readonly run: JobRun;
  readonly outcome: Outcome;
}

export interface UntilEndedParts {
  readonly clock: Clock;
  /** How long a handler may take by the system's clock; the engine's own may stand still. */
  readonly handlerLimitMs: number;
  /** Passes cancels on to those that run. */
  readonly passOnCancels: (runs: readonly JobRun[]) => Promise<void>;
}

const askForCancelsMs = 25;

/**
 * Runs attempts, one or those of one call, and waits for their handler: its timeout goes by the engine's clock, our patience by
 * the system's.
 */
export async function untilEnded(runs: readonly JobRun[], parts: UntilEndedParts): Promise<Ended[]> {
  const { clock, handlerLimitMs, passOnCancels } = parts;
  const running = new Set(runs);
  const over = new AbortController();
  const ended = Promise.all(
    runs.map(async (run) => {
      const outcome = await run.run();
      running.delete(run);
      if (running.size === 0) over.abort();
      return { run, outcome };
    }),
  );
  const timeoutMs = runs[0]?.workStage.definition.options.timeoutMs ?? null;
  if (timeoutMs !== null) {
    void clock.sleep(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted) for (const run of running) run.abort("timeout");
    });
  }
  const deadlineMs = systemClock.monotonicMs() + handlerLimitMs;
  try {
    while (!over.signal.aborted) {
      const [stuck] = running;
      if (stuck !== undefined && systemClock.monotonicMs() > deadlineMs) {
        throw new HandlerStuckError(stuck, handlerLimitMs);
      }
      await systemClock.sleep(askForCancelsMs, over.signal);
      if (!over.signal.aborted) await passOnCancels([...running]);
    }
    return await ended;
  } finally {
    over.abort();
  }
}
