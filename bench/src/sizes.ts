/** How much of everything one run does. */
export interface Size {
  readonly name: "full" | "quick" | "smoke";
  readonly rounds: number;
  readonly warmUpJobs: number;
  readonly bulkJobs: number;
  readonly singleAddsForMs: number;
  readonly drainJobs: number;
  readonly stagedJobs: number;
  /** A drain's rate is taken after this long, whatever is left. */
  readonly limitMs: number;
  readonly latencyJobs: number;
  readonly snapshotJobs: number;
  readonly waitingFew: number;
  readonly waitingMany: number;
  readonly finishedJobs: number;
  readonly idleProcesses: number;
  readonly idleWorkersPerProcess: number;
  readonly idleForMs: number;
  /** Jobs for each processor that waits 1 ms. */
  readonly jobsPerWaiter: number;
  /** Whether each run gets a process of its own, so that none is warm from another. */
  readonly isFresh: boolean;
  /** A contender's process that takes longer is ended. */
  readonly processLimitMs: number;
  /** What has not begun by then is left out; null for no limit. */
  readonly budgetMs: number | null;
}

export const sizes: Readonly<Record<Size["name"], Size>> = {
  full: {
    name: "full",
    rounds: 3,
    warmUpJobs: 5_000,
    bulkJobs: 100_000,
    singleAddsForMs: 5_000,
    drainJobs: 100_000,
    stagedJobs: 50_000,
    limitMs: 60_000,
    latencyJobs: 500,
    snapshotJobs: 200_000,
    waitingFew: 100_000,
    waitingMany: 1_000_000,
    finishedJobs: 10_000_000,
    idleProcesses: 10,
    idleWorkersPerProcess: 10,
    idleForMs: 20_000,
    jobsPerWaiter: 500,
    isFresh: true,
    processLimitMs: 1_800_000,
    budgetMs: null,
  },
  quick: {
    name: "quick",
    rounds: 1,
    warmUpJobs: 1_000,
    bulkJobs: 20_000,
    singleAddsForMs: 400,
    drainJobs: 20_000,
    stagedJobs: 10_000,
    limitMs: 3_000,
    latencyJobs: 60,
    snapshotJobs: 40_000,
    waitingFew: 20_000,
    waitingMany: 200_000,
    finishedJobs: 300_000,
    idleProcesses: 4,
    idleWorkersPerProcess: 5,
    idleForMs: 2_000,
    jobsPerWaiter: 100,
    isFresh: false,
    processLimitMs: 20_000,
    budgetMs: 168_000,
  },
  smoke: {
    name: "smoke",
    rounds: 1,
    warmUpJobs: 0,
    bulkJobs: 200,
    singleAddsForMs: 50,
    drainJobs: 200,
    stagedJobs: 100,
    limitMs: 3_000,
    latencyJobs: 5,
    snapshotJobs: 400,
    waitingFew: 200,
    waitingMany: 400,
    finishedJobs: 500,
    idleProcesses: 1,
    idleWorkersPerProcess: 2,
    idleForMs: 200,
    jobsPerWaiter: 2,
    isFresh: false,
    processLimitMs: 60_000,
    budgetMs: null,
  },
};
