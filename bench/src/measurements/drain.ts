import { machineMs } from "../machine/machine-clock.ts";
import type { Mark } from "../program/timeline.ts";
import { addJobs } from "./add-jobs.ts";
import type { Measurement } from "./measurement.ts";
import { untilDrained } from "./until-drained.ts";
import { warmUp } from "./warm-up.ts";

export interface DrainParameters {
  readonly jobs: number;
  readonly payloadBytes: number;
  readonly stages: number;
  /** Null: what the contender's configuration says. */
  readonly processors: number | null;
  /** How long each handler waits. */
  readonly waitMs: number;
  /** Worker processes. */
  readonly processes: number;
  readonly isAnalyzed: boolean;
  readonly warmUpJobs: number;
  /** After this long the rate is that of what has been handled by then. */
  readonly limitMs: number;
}

/** From the start of the workers until the queue says that nothing is left, and what that cost. */
export const drain: Measurement<DrainParameters> = async (bench, parameters) => {
  const { crew, meter } = bench;
  const { jobs, stages, processors, waitMs, processes, warmUpJobs, limitMs } = parameters;
  // So that the connection it needs is there.
  await bench.driver.isDrained();
  await crew.open(processes, bench);
  // As many for each process, however many share them.
  await warmUp(bench, warmUpJobs * processes, stages);
  await addJobs(bench, parameters);

  const usageBefore = await crew.usage();
  const backendsBefore = (await meter?.backends()) ?? new Set<number>();
  const before = await meter?.read();
  const startedAtMs = machineMs();
  const working = crew.work({
    stages,
    processors,
    waitMs,
    reportAt: Math.ceil(jobs / processes),
    isTimed: false,
    isBusy: true,
  });
  const isCounted = await crew.untilCount(jobs, limitMs);
  const isDrained = isCounted && (await untilDrained(bench, limitMs));
  const elapsedMs = machineMs() - startedAtMs;
  const { marks } = crew;
  const handled = Math.min(jobs, crew.count);
  await working;
  const usage = await crew.usage();

  await crew.close();
  if (!isDrained && (handled === 0 || stages > 1)) {
    // Where all jobs go through one stage before the next, the rate of the last says nothing until the end.
    throw new Error(`${handled} of ${jobs} jobs were done within ${limitMs / 1_000} seconds`);
  }
  await meter?.untilOnly(backendsBefore);
  const after = await meter?.read();
  const perJob = (total: number) => (handled === 0 ? null : total / handled);
  const serverCpuMs = before?.cpuMs != null && after?.cpuMs != null ? after.cpuMs - before.cpuMs : null;
  const workerCpuMs = sum(usage.map(({ cpuMs }) => cpuMs)) - sum(usageBefore.map(({ cpuMs }) => cpuMs));
  return {
    numbers: {
      jobsPerSecond: isDrained ? handled / (elapsedMs / 1_000) : rateOfMarks(marks, elapsedMs),
      transactionsPerJob: before && after ? perJob(after.transactions - before.transactions) : null,
      walBytesPerJob: before && after ? perJob(after.walBytes - before.walBytes) : null,
      serverCpuMicrosPerJob: serverCpuMs === null ? null : perJob(serverCpuMs * 1_000),
      workerCpuMicrosPerJob: perJob(workerCpuMs * 1_000),
      workerPeakRssMegabytes: Math.max(...usage.map(({ peakRssBytes }) => peakRssBytes)) / 1_048_576,
    },
    details: { jobs, handled, elapsedMs, isDrained, firstCallMs: firstCallMs(marks, startedAtMs) },
  };
};

/** Of a drain that was cut: from the first report to the last, since the start weighs more the sooner one cuts. */
function rateOfMarks(marks: readonly Mark[], elapsedMs: number): number {
  const first = marks.find(({ count }) => count > 0);
  const last = marks.at(-1);
  if (first === undefined || last === undefined || last.count === first.count) {
    return (last?.count ?? 0) / (elapsedMs / 1_000);
  }
  return (last.count - first.count) / ((last.atMs - first.atMs) / 1_000);
}

function firstCallMs(marks: readonly Mark[], startedAtMs: number): number | null {
  const first = marks.find(({ count }) => count > 0);
  return first === undefined ? null : first.atMs - startedAtMs;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
