import type { Contender } from "./contender-list.ts";
import type { DrainParameters } from "./measurements/drain.ts";
import type { Order } from "./measurements/measurements.ts";
import type { Size } from "./sizes.ts";

/** At least enough jobs to have a rate. */
export function shareOf(jobs: number, { share }: Contender): number {
  return Math.ceil(Math.max(jobs * share, Math.min(jobs, 100)));
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
    warmUpJobs: contender.isTuned ? shareOf(size.warmUpJobs, contender) : 0,
    limitMs: size.limitMs,
    ...others,
  };
  return { measurement: "drain", parameters };
}
