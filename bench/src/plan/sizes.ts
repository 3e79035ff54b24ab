/** How much of everything one run does. */
export interface Size {
  readonly name: "full" | "quick" | "smoke";
  readonly rounds: number;
  /** As many rounds of the parts that matter most as the time allows, up to this many. */
  readonly keyRounds: number;
  readonly warmUpJobs: number;
  readonly bulkJobs: number;
  readonly singleAddsForMs: number;
  readonly drainJobs: number;
  /** The drains of parts that only compare one queue with itself. */
  readonly sideJobs: number;
  /** The drains by one and by several worker processes: so many that their starts do not decide. */
  readonly fleetJobs: number;
  readonly stagedJobs: number;
  /** A drain's rate is taken after this long, whatever is left. */
  readonly limitMs: number;
  readonly latencyJobs: number;
  /** How many processes are started, one after the other. */
  readonly coldStarts: number;
  readonly snapshotJobs: number;
  /** None smaller than what a contender holds at once (10,000), or it would lie within that. */
  readonly snapshotSlices: number;
  readonly waitingFew: number;
  readonly waitingMany: number;
  /** How many rates are taken with each of these. */
  readonly waitingWindows: number;
  readonly finishedJobs: number;
  readonly idleProcesses: number;
  readonly idleWorkersPerProcess: number;
  /** Until all of them have started and found nothing. */
  readonly idleSettleMs: number;
  readonly idleForMs: number;
  /** Settings of the server for the idle workers, where the default ones cannot hold them. */
  readonly idleServerSettings: Readonly<Record<string, string>> | undefined;
  /** Jobs for each processor that waits 1 ms. */
  readonly jobsPerWaiter: number;
  /** Whether each run gets a process of its own, so that none is warm from another. */
  readonly isFresh: boolean;
  /** A contender's process that takes longer is ended. */
  readonly processLimitMs: number;
  /** From the start of bench: what has not begun by then is left out. Null for no limit. */
  readonly budgetMs: number | null;
  /** From the start of bench: where the run is late for this, it takes fewer jobs. */
  readonly paceBudgetMs: number;
  /** From the start of bench: a further round that would not end by then is not begun. */
  readonly keyBudgetMs: number;
}

export const sizes: Readonly<Record<Size["name"], Size>> = {
  full: {
    name: "full",
    rounds: 3,
    keyRounds: 3,
    warmUpJobs: 5_000,
    bulkJobs: 100_000,
    singleAddsForMs: 5_000,
    drainJobs: 100_000,
    sideJobs: 100_000,
    fleetJobs: 300_000,
    stagedJobs: 50_000,
    limitMs: 60_000,
    latencyJobs: 500,
    coldStarts: 7,
    snapshotJobs: 200_000,
    snapshotSlices: 20,
    waitingFew: 100_000,
    waitingMany: 1_000_000,
    waitingWindows: 3,
    finishedJobs: 10_000_000,
    idleProcesses: 10,
    idleWorkersPerProcess: 10,
    idleSettleMs: 60_000,
    idleForMs: 120_000,
    idleServerSettings: { max_connections: "2000" },
    jobsPerWaiter: 2_000,
    isFresh: true,
    processLimitMs: 1_800_000,
    budgetMs: null,
    paceBudgetMs: Number.POSITIVE_INFINITY,
    keyBudgetMs: Number.POSITIVE_INFINITY,
  },
  quick: {
    name: "quick",
    rounds: 1,
    keyRounds: 3,
    warmUpJobs: 1_000,
    bulkJobs: 25_000,
    singleAddsForMs: 350,
    drainJobs: 25_000,
    sideJobs: 9_000,
    fleetJobs: 9_000,
    stagedJobs: 10_000,
    limitMs: 2_500,
    latencyJobs: 30,
    coldStarts: 2,
    snapshotJobs: 30_000,
    snapshotSlices: 3,
    waitingFew: 16_000,
    waitingMany: 32_000,
    waitingWindows: 1,
    finishedJobs: 100_000,
    idleProcesses: 2,
    idleWorkersPerProcess: 5,
    idleSettleMs: 5_000,
    idleForMs: 2_000,
    idleServerSettings: undefined,
    jobsPerWaiter: 300,
    isFresh: false,
    processLimitMs: 20_000,
    budgetMs: 171_000,
    paceBudgetMs: 142_000,
    keyBudgetMs: 142_000,
  },
  smoke: {
    name: "smoke",
    rounds: 1,
    keyRounds: 1,
    warmUpJobs: 0,
    bulkJobs: 200,
    singleAddsForMs: 50,
    drainJobs: 200,
    sideJobs: 200,
    fleetJobs: 200,
    stagedJobs: 100,
    limitMs: 3_000,
    latencyJobs: 5,
    coldStarts: 1,
    snapshotJobs: 400,
    snapshotSlices: 20,
    waitingFew: 200,
    waitingMany: 400,
    waitingWindows: 2,
    finishedJobs: 500,
    idleProcesses: 1,
    idleWorkersPerProcess: 2,
    idleSettleMs: 50,
    idleForMs: 200,
    idleServerSettings: undefined,
    jobsPerWaiter: 2,
    isFresh: false,
    processLimitMs: 60_000,
    budgetMs: null,
    paceBudgetMs: Number.POSITIVE_INFINITY,
    keyBudgetMs: Number.POSITIVE_INFINITY,
  },
};
