import type { Size } from "./sizes.ts";

const leastPace = 0.2;

/**
 * The same run for a machine that is slower just now: fewer jobs, so that every part still has its time. Not where a rate
 * is taken over part of a drain, which must be longer than what a contender holds at once.
 */
export function slowedSize(size: Size, pace: number): Size {
  const factor = Math.min(1, Math.max(pace, leastPace));
  const fewer = (jobs: number, least = 0) => Math.max(Math.min(jobs, least), Math.round(jobs * factor));
  return {
    ...size,
    warmUpJobs: fewer(size.warmUpJobs, 500),
    bulkJobs: fewer(size.bulkJobs),
    drainJobs: fewer(size.drainJobs),
    sideJobs: fewer(size.sideJobs),
    fleetJobs: fewer(size.fleetJobs),
    stagedJobs: fewer(size.stagedJobs),
    latencyJobs: fewer(size.latencyJobs, 20),
    waitingMany: fewer(size.waitingMany, 1.5 * size.waitingFew),
    finishedJobs: fewer(size.finishedJobs),
    jobsPerWaiter: fewer(size.jobsPerWaiter, 150),
  };
}
