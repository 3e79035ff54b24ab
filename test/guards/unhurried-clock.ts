import type { Clock } from "lockstep";
import { systemClock } from "lockstep/internal";

const slowness = 4;

/**
 * How far a worker claims ahead, and how often it looks from the start, depends on how fast jobs end by its clock.
 * By this one every machine is fast, so that a slow one counts what the others count.
 */
export function unhurriedClock(): Clock {
  const startedMs = systemClock.monotonicMs();
  return {
    now: systemClock.now,
    monotonicMs: () => startedMs + (systemClock.monotonicMs() - startedMs) / slowness,
    sleep: (ms, signal) => systemClock.sleep(ms * slowness, signal),
  };
}
