import { addJobs } from "./add-jobs.ts";
import { backlogWork } from "./backlog-work.ts";
import type { Bench } from "./measurement.ts";
import { untilDrained } from "./until-drained.ts";

const limitMs = 20_000;

/** Some jobs first, in the processes that will be measured, unless they have done some: so that their code is compiled. */
export async function warmUp(bench: Bench, jobs: number, stages = 1): Promise<void> {
  if (jobs === 0 || bench.crew.isWarmFor(stages)) return;
  await addJobs(bench, { jobs, payloadBytes: 100, stages, isAnalyzed: false });
  await bench.crew.work(backlogWork(jobs, stages));
  const isDone = (await bench.crew.untilCount(jobs, limitMs)) && (await untilDrained(bench, limitMs));
  if (!isDone) throw new Error(`The warm-up of ${jobs} jobs did not end within ${limitMs / 1_000} seconds.`);
  await bench.crew.rest();
  bench.crew.becameWarmFor(stages);
}
