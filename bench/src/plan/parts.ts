import { drainOrder, shareOf, warmUpShareOf } from "./drain-order.ts";
import type { Part } from "./part.ts";
import type { Size } from "./sizes.ts";

const onPostgres = ["lockstep", "plain-sql", "graphile-worker", "pg-boss", "bullmq-postgres", "dbos"];
const everyone = [...onPostgres, "bullmq-redis"];
const fastOnPostgres = ["lockstep", "plain-sql", "graphile-worker", "pg-boss"];
const fast = [...fastOnPostgres, "bullmq-redis"];

const noSnapshots = { "bullmq-redis": "Redis has no snapshots" };
const tooSlow = { "bullmq-postgres": "too slow for this many jobs", dbos: "too slow for this many jobs" };

const drains = {
  group: "drains",
  unit: "jobs/s",
  better: "higher",
  number: "jobsPerSecond",
  modules: everyone,
  absent: {},
  configuration: "tuned",
  order: (size, contender) => drainOrder(size, contender),
} satisfies Omit<Part, "name">;

const adds = { ...drains, group: "adds" } satisfies Omit<Part, "name">;

function singleAdds(callers: number): Part["order"] {
  return ({ singleAddsForMs }) => ({
    measurement: "single-adds",
    parameters: { callers, forMs: singleAddsForMs, payloadBytes: 100 },
  });
}

const latency = {
  ...drains,
  group: "latency",
  unit: "ms",
  better: "lower",
  absent: { "plain-sql": "a loop that polls has no wake-up to measure" },
  modules: everyone.filter((module) => module !== "plain-sql"),
  order: ({ latencyJobs, limitMs, warmUpJobs }, contender) => ({
    measurement: "idle-latency",
    parameters: {
      jobs: latencyJobs,
      warmUpJobs: contender.isTuned ? warmUpShareOf(warmUpJobs, contender) : 0,
      // Those that look once or twice a second show it in a few jobs.
      limitMs: contender.isTuned ? limitMs * 2 : Math.max(8_000, limitMs / 2),
    },
  }),
} satisfies Omit<Part, "name" | "number"> & { number: string };

const snapshot = {
  ...drains,
  group: "scale",
  modules: fastOnPostgres,
  absent: { ...noSnapshots, ...tooSlow },
  order: ({ snapshotJobs, snapshotSlices, warmUpJobs, limitMs }) => ({
    measurement: "held-snapshot",
    parameters: { jobs: snapshotJobs, slices: snapshotSlices, warmUpJobs, limitMs: limitMs * 3 },
  }),
} satisfies Omit<Part, "name">;

const waiting = {
  ...drains,
  group: "scale",
  isHeavy: true,
  modules: fast,
  absent: tooSlow,
  order: ({ waitingFew: few, waitingMany: many, waitingWindows: windows, warmUpJobs, limitMs }) => ({
    measurement: "many-waiting",
    parameters: { few, many, jobs: few * 0.75, windows, warmUpJobs, limitMs },
  }),
} satisfies Omit<Part, "name">;

const finished = {
  ...drains,
  group: "scale",
  isHeavy: true,
  modules: ["lockstep", "pg-boss", "dbos"],
  absent: {
    "plain-sql": "keeps no finished jobs",
    "graphile-worker": "keeps no finished jobs",
    "bullmq-postgres": "keeps no finished jobs in this configuration",
    "bullmq-redis": "keeps no finished jobs in this configuration",
  },
  order: ({ finishedJobs, sideJobs, warmUpJobs, limitMs }, contender) => ({
    measurement: "many-finished",
    parameters: {
      finished: finishedJobs,
      jobs: shareOf(sideJobs, contender),
      warmUpJobs: warmUpShareOf(warmUpJobs, contender),
      limitMs,
    },
  }),
} satisfies Omit<Part, "name">;

const costs = {
  ...drains,
  group: "cost",
  better: "lower",
  modules: onPostgres,
  absent: { "bullmq-redis": "not on PostgreSQL" },
} satisfies Omit<Part, "name">;

/** A new process that adds one job, or works on one. */
function coldStart(task: "add" | "work"): Omit<Part, "name" | "number"> {
  return {
    ...drains,
    group: "start",
    unit: "ms",
    better: "lower",
    order: ({ coldStarts, limitMs }) => ({
      measurement: "cold-start",
      parameters: { task, starts: coldStarts, limitMs: Math.max(10_000, limitMs) },
    }),
  };
}

const cpuOfStart = {
  unit: "ms of CPU",
  number: "cpuMs",
  modules: onPostgres,
  absent: { "bullmq-redis": "not on PostgreSQL" },
} satisfies Partial<Part>;

function workerProcesses(processes: number): Part {
  return {
    ...drains,
    name: `workers-${processes}`,
    group: "scale",
    order: (size, contender) => drainOrder(size, contender, { processes, jobs: size.fleetJobs }),
  };
}

/** What limits cost; the others have none that mean the same. */
function limited(kind: "owners" | "concurrency" | "groups"): Part {
  return {
    ...drains,
    name: `limits-${kind}`,
    modules: [`lockstep-${kind}`],
    order: (size, contender) => drainOrder(size, contender, { jobs: size.sideJobs }),
  };
}

function payloadOf(name: string, payloadBytes: number, jobs: (size: Size) => number): Part {
  return {
    ...drains,
    name: `payload-${name}`,
    order: (size, contender) => drainOrder(size, contender, { payloadBytes, jobs: jobs(size) }),
  };
}

function waiters(processors: number): Part {
  return {
    ...drains,
    name: `waiting-1ms-${processors}`,
    order: (size, contender) => {
      const jobs = Math.min(size.sideJobs, processors * size.jobsPerWaiter);
      return drainOrder(size, contender, { jobs, processors, waitMs: 1 });
    },
  };
}

/** In the order of the table. */
export const parts: readonly Part[] = [
  {
    ...adds,
    name: "bulk-add",
    isKey: true,
    order: ({ bulkJobs }, contender) => ({
      measurement: "bulk-add",
      parameters: { jobs: shareOf(bulkJobs, contender), payloadBytes: 100 },
    }),
  },
  { ...adds, name: "add-1-caller", order: singleAdds(1) },
  { ...adds, name: "add-10-callers", isKey: true, order: singleAdds(10) },
  { ...drains, name: "drain", isKey: true },
  { ...drains, name: "drain-default", isKey: true, configuration: "default" },
  {
    ...drains,
    name: "drain-cold",
    order: (size, contender) => drainOrder(size, contender, { isAnalyzed: false }),
  },
  {
    ...drains,
    name: "three-stages",
    isKey: true,
    order: (size, contender) =>
      drainOrder(
        size,
        { ...contender, share: contender.stagedShare },
        { stages: 3, jobs: size.stagedJobs, limitMs: size.limitMs * 4 },
      ),
  },
  limited("owners"),
  limited("concurrency"),
  limited("groups"),
  { ...latency, name: "idle-latency-p50", isKey: true, number: "p50Ms" },
  { ...latency, name: "idle-latency-p99", isKey: true, number: "p99Ms" },
  { ...latency, name: "idle-latency-default", number: "p50Ms", configuration: "default", isLong: true },
  { ...snapshot, name: "held-snapshot", unit: "last ÷ first slice", number: "lastToFirst" },
  { ...snapshot, name: "held-snapshot-last-slice", number: "lastSliceJobsPerSecond" },
  { ...waiting, name: "million-waiting" },
  { ...waiting, name: "million-waiting-kept", unit: "many ÷ few waiting", number: "manyToFew" },
  { ...finished, name: "ten-million-finished" },
  { ...finished, name: "ten-million-finished-kept", unit: "many ÷ none finished", number: "manyToNone" },
  { ...workerProcesses(1), isLong: true },
  workerProcesses(2),
  workerProcesses(4),
  {
    ...costs,
    name: "idle-workers-100",
    isHeavy: true,
    unit: "% of a core",
    number: "corePercent",
    modules: ["lockstep", "graphile-worker", "pg-boss"],
    absent: {
      "plain-sql": "polls as often as one tells it to",
      "bullmq-redis": "Redis's own use is not measured",
      "bullmq-postgres": "left out for time",
      dbos: "one worker a process, a hundred processes do not fit",
    },
    serverSettings: ({ idleServerSettings }) => idleServerSettings,
    order: ({ idleProcesses, idleWorkersPerProcess, idleSettleMs, idleForMs }) => ({
      measurement: "idle-workers",
      parameters: {
        processes: idleProcesses,
        workersPerProcess: idleWorkersPerProcess,
        settleMs: idleSettleMs,
        forMs: idleForMs,
        everyMs: 500,
      },
    }),
  },
  { ...coldStart("add"), name: "cold-add", number: "reachedMs" },
  { ...coldStart("add"), name: "cold-add-ended", number: "endedMs" },
  { ...coldStart("add"), name: "cold-add-cpu", ...cpuOfStart },
  { ...coldStart("work"), name: "worker-boot", number: "reachedMs" },
  { ...coldStart("work"), name: "worker-boot-cpu", ...cpuOfStart },
  payloadOf("100B", 100, ({ drainJobs }) => drainJobs),
  payloadOf("1KB", 1_024, ({ sideJobs }) => sideJobs),
  payloadOf("10KB", 10_240, ({ sideJobs }) => sideJobs / 3),
  { ...costs, name: "cost-per-job-transactions", unit: "transactions", number: "transactionsPerJob" },
  { ...costs, name: "cost-per-job-wal", unit: "bytes of WAL", number: "walBytesPerJob" },
  { ...costs, name: "cost-per-job-server-cpu", unit: "µs of CPU", number: "serverCpuMicrosPerJob" },
  { ...costs, name: "cost-per-job-worker-cpu", unit: "µs of CPU", number: "workerCpuMicrosPerJob" },
  {
    ...costs,
    name: "worker-memory",
    unit: "MB at the peak",
    number: "workerPeakRssMegabytes",
    modules: everyone,
    absent: {},
  },
  waiters(10),
  waiters(100),
  waiters(1_000),
];
