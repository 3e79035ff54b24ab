import { formatFull } from "../format/number.ts";

/** The first page. */
export const overviewText = {
  overview: {
    title: "Overview",
    applications: "Applications",
    attention: (count: number) =>
      count === 1 ? "1 thing needs attention" : `${count} things need attention`,
    allWell: "All is well",
    noWorker: (stage: string, pending: string) => `${stage} has no live worker; ${pending} waiting`,
    pausedStage: (stage: string, pending: string | null) =>
      pending === null ? `${stage} is paused` : `${stage} is paused; ${pending} waiting`,
    recentFailures: (jobs: string) => `${jobs} failed in the time range shown`,
    lostWorker: (name: string) => `${name} was lost: its lease has ended`,
    unhealthy: (check: string) => `Health: ${check}`,
    slowWait: (stage: string, wait: string) => `${stage}: jobs wait ${wait} (p95)`,
    brokenProcessors: (stage: string, count: number) =>
      `${stage}: ${count === 1 ? "1 processor" : `${count} processors`} did not stop after the timeout`,
    pending: "Pending",
    processing: "Processing",
    completedPerMinute: "Completed / min",
    failedPerMinute: "Failed / min",
    oldestPending: "Oldest pending",
    nothingWaits: "nothing waits",
    workers: "Workers",
    ofProcessors: (all: number) => `of ${formatFull(all)}`,
    liveWorkers: "live",
    lostWorkers: (count: number) => `${count} lost`,
    throughput: "Throughput",
    throughputSentence: (completed: string, failed: string, range: string) =>
      `In the ${range}: ${completed} completed, ${failed} failed.`,
    waits: "Wait and run",
    waitsSentence: (wait: string, run: string, oldest: string) =>
      `Recent p95: jobs waited ${wait} and ran ${run}. Oldest pending now: ${oldest}.`,
    busiest: (name: string, range: string) => `${name}, ${range}`,
    latestErrors: "Latest errors",
    noErrors: "No failed jobs. Errors will show up here.",
    processingNow: "Processing now",
    nothingProcessing: "Nothing is being processed.",
    range: "Time range",
    lastMinutes: "last 5 min",
    noPipelines: "No pipeline is defined yet",
    noPipelinesAdvice:
      "A worker defines its pipelines when it starts. Start one, and this page will fill up.",
    completedSeries: "completed",
    failedSeries: "failed",
    waitSeries: "wait p95",
    runSeries: "run p95",
    oldestSeries: "oldest pending",
    poolBar: "Processors",
    poolSentence: (busy: number, all: number) => `${busy} of ${all} processors are busy`,
  },
} as const;
