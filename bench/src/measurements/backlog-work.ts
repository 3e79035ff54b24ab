import type { CrewWork } from "../program/crew-messages.ts";

/** A backlog of no-op jobs, as the contender's configuration works it off. */
export function backlogWork(jobs: number, stages = 1): CrewWork {
  return { stages, processors: null, waitMs: 0, reportAt: jobs, isTimed: false, isBusy: true };
}
