import type { Cron } from "./cron.ts";

/** What becomes of ticks that came while no worker was there. */
export type MissedPolicy = "skip" | "run_once";

export interface ScheduleState {
  readonly missed: MissedPolicy;
  /** Ticks after this moment count: when it was set, changed or resumed. */
  readonly countsFrom: Date;
  /** The tick that comes next, by the database; null until a worker has worked it out. */
  readonly nextAt: Date | null;
}

export interface SchedulePlan {
  /** The tick to add a job for; null to add none. */
  readonly tick: Date | null;
  readonly next: Date;
}

/** A tick this late, or less, is on time: a restart, a failover or a busy worker misses nothing. */
export const missedAfterMs = 60_000;

/** What to do with a schedule whose time has come, or which has no next tick yet. */
export function schedulePlan(cron: Cron, state: ScheduleState, now: Date): SchedulePlan {
  const { missed, countsFrom, nextAt } = state;
  if (nextAt === null) return { tick: null, next: cron.next(countsFrom) };
  const onTimeFrom = new Date(now.getTime() - missedAfterMs);
  if (nextAt >= onTimeFrom) return { tick: nextAt, next: cron.next(nextAt) };
  if (missed === "skip") return { tick: null, next: cron.next(onTimeFrom) };
  // One job for all of them, also for one that would still be on time.
  const tick = cron.last(now, nextAt);
  return { tick, next: cron.next(tick) };
}
