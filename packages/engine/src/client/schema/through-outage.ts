import type { Clock } from "../../clock.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";

// The first time at once: it may be that only one connection was lost.
const againAfterMs = [0, 100, 500, 1_500];

/**
 * Waits out a short outage: runs until the database answers, five times at most. `run` is told whether it runs again, and
 * must be safe to repeat.
 */
export async function throughOutage<Result>(
  clock: Pick<Clock, "sleep">,
  run: (isAgain: boolean) => Promise<Result>,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await run(failures > 0);
    } catch (error) {
      const waitMs = againAfterMs[failures];
      if (!(error instanceof DatabaseUnavailableError) || error.isFinal || waitMs === undefined) throw error;
      if (waitMs > 0) await clock.sleep(waitMs);
    }
  }
}
