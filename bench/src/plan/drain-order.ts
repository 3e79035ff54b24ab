import type { Contender } from "../contenders/contender-list.ts";
import type { DrainParameters } from "../measurements/drain.ts";
import type { Order } from "../measurements/measurements.ts";
import type { Size } from "./sizes.ts";

/** At least enough jobs to have a rate. */
export function shareOf(jobs: number, { share }: Contender, least = 100): number {
  return Math.ceil(Math.max(jobs * share, Math.min(jobs, least)));
}

/** Slow queues compile no later than fast ones. */
export function warmUpShareOf(jobs: number, contender: Contender): number {
  return shareOf(jobs, contender, 30);
}

/** The drain that most parts are about, with what differs in one. */
export function drainOrder(size: Size, contender: Contender, changes: Partial<DrainParameters> = {}): Order {
  const { jobs = size.drainJobs, ...others } = changes;
  const parameters = {
    jobs: shareOf(jobs, contender),
    payloadBytes: 100,
    stages: 1,
    processors: null,
    waitMs: 0,
    processes: 1,
    isAnalyzed: true,
    // One job every two seconds would warm up for hours.
    warmUpJobs: contender.isTuned ? warmUpShareOf(size.warmUpJobs, contender) : 0,
    // The same few a second for a minute say no more than for a third of it.
    limitMs: contender.isTuned ? size.limitMs : Math.max(2_500, size.limitMs / 3),
    ...others,
  };
  return { measurement: "drain", parameters };
}
