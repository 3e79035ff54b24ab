import type { Clock, Engine } from "lockstep";

const lookMs = 200;
/** Between two looks the worker has asked for jobs at least once. */
const quietLooks = 3;
/** Jobs that nobody claims for so long are held back by a limit, a group or another worker's turn. */
const patienceMs = 5_000;

/**
 * Waits until the worker has nothing more to do: all that was due in its stages has run. Returns how many
 * jobs still wait there because they cannot be claimed now.
 */
export async function untilNothingIsDue(
  engine: Engine,
  { stages, clock, signal }: { stages: readonly string[]; clock: Clock; signal: AbortSignal },
): Promise<number> {
  let lastStartMs = clock.monotonicMs();
  const endListening = engine.on("job.started", () => {
    lastStartMs = clock.monotonicMs();
  });
  try {
    for (let quiet = 0; !signal.aborted; ) {
      await clock.sleep(lookMs, signal);
      const isBusy = engine.health()?.stages.some(({ busy, waiting }) => busy + waiting > 0) ?? true;
      if (isBusy) {
        quiet = 0;
        continue;
      }
      const waiting = await pendingIn(engine, stages);
      quiet = waiting === 0 ? quiet + 1 : 0;
      if (quiet === quietLooks) return 0;
      if (waiting > 0 && clock.monotonicMs() - lastStartMs > patienceMs) return waiting;
    }
    return 0;
  } finally {
    endListening();
  }
}

async function pendingIn(engine: Engine, stages: readonly string[]): Promise<number> {
  const counts = await engine.stats();
  return counts
    .filter(({ pipeline, stage, status, paused }) => {
      return status === "pending" && !paused && stages.includes(`${pipeline}/${stage}`);
    })
    .reduce((sum, { jobs }) => sum + jobs, 0);
}
