import { rateFromMarkToMark } from "../program/timeline.ts";
import { addJobs } from "./add-jobs.ts";
import { backlogWork } from "./backlog-work.ts";
import type { Bench, Measurement } from "./measurement.ts";
import { warmUp } from "./warm-up.ts";

export interface ManyWaitingParameters {
  readonly few: number;
  readonly many: number;
  /** How many jobs each rate is taken over. */
  readonly jobs: number;
  readonly warmUpJobs: number;
  readonly limitMs: number;
}

/** The rate while few wait, then while many do, by the same worker. */
export const manyWaiting: Measurement<ManyWaitingParameters> = async (bench, parameters) => {
  const { few, many, jobs, warmUpJobs } = parameters;
  await bench.crew.open(1, bench);
  await warmUp(bench, warmUpJobs);
  await addJobs(bench, { jobs: few, payloadBytes: 100, isAnalyzed: true });
  const withFew = await rateOf(bench, parameters);
  await addJobs(bench, { jobs: many - (few - jobs), payloadBytes: 100, isAnalyzed: true });
  const withMany = await rateOf(bench, parameters);
  await bench.crew.close();
  return {
    numbers: { jobsPerSecond: withMany, manyToFew: withMany / withFew },
    details: { few, many, withFewJobsPerSecond: withFew },
  };
};

async function rateOf({ crew }: Bench, { jobs, limitMs }: ManyWaitingParameters): Promise<number> {
  const working = crew.work(backlogWork(jobs));
  const isCounted = await crew.untilCount(jobs, limitMs);
  await working;
  const { marks, count } = crew;
  await crew.rest();
  const counted = isCounted ? jobs : count;
  // Without the start, when a contender takes all it can hold at once; a batch counts as a whole or not at all.
  return rateFromMarkToMark(marks, counted / 2, counted);
}
