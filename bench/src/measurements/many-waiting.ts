import { rateFromMarkToMark } from "../program/timeline.ts";
import { median } from "../results/statistics.ts";
import { addJobs } from "./add-jobs.ts";
import { backlogWork } from "./backlog-work.ts";
import type { Bench, Measurement } from "./measurement.ts";
import { warmUp } from "./warm-up.ts";

export interface ManyWaitingParameters {
  readonly few: number;
  readonly many: number;
  /** How many jobs each rate is taken over. */
  readonly jobs: number;
  /** How many rates are taken of each; their median counts. */
  readonly windows: number;
  readonly warmUpJobs: number;
  readonly limitMs: number;
}

/** The rate while few wait, then while many do, by the same worker. */
export const manyWaiting: Measurement<ManyWaitingParameters> = async (bench, parameters) => {
  const { few, many, warmUpJobs } = parameters;
  await bench.crew.open(1, bench);
  await warmUp(bench, warmUpJobs);
  const ofFew = await ratesWhile(bench, parameters, { waiting: few, left: 0 });
  const ofMany = await ratesWhile(bench, parameters, { waiting: many, left: ofFew.left });
  await bench.crew.close();
  const [withFew, withMany] = [median(ofFew.rates), median(ofMany.rates)];
  return {
    numbers: { jobsPerSecond: withMany, manyToFew: withMany / withFew },
    details: {
      few,
      many,
      withFewJobsPerSecond: ofFew.rates.map(Math.round),
      withManyJobsPerSecond: ofMany.rates.map(Math.round),
    },
  };
};

/** Each rate begins with so many waiting jobs; `left` are those that wait already, and then those that still do. */
async function ratesWhile(
  bench: Bench,
  parameters: ManyWaitingParameters,
  { waiting, left }: { waiting: number; left: number },
): Promise<{ rates: number[]; left: number }> {
  const rates: number[] = [];
  let waitingNow = left;
  while (rates.length < parameters.windows) {
    await addJobs(bench, { jobs: waiting - waitingNow, payloadBytes: 100, isAnalyzed: true });
    // What the adds have left in memory is not to be written out during the measurement.
    await bench.meter?.client.query("checkpoint");
    const { rate, handled } = await rateOf(bench, parameters);
    rates.push(rate);
    waitingNow = waiting - handled;
  }
  return { rates, left: waitingNow };
}

async function rateOf(
  { crew }: Bench,
  { jobs, limitMs }: ManyWaitingParameters,
): Promise<{ rate: number; handled: number }> {
  const working = crew.work(backlogWork(jobs));
  const isCounted = await crew.untilCount(jobs, limitMs);
  await working;
  const { marks } = crew;
  await crew.rest();
  const handled = crew.count;
  const counted = isCounted ? jobs : handled;
  // Without the start, when a contender takes all it can hold at once; a batch counts as a whole or not at all.
  return { rate: rateFromMarkToMark(marks, counted / 2, counted), handled };
}
