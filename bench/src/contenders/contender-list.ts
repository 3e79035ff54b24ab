/** A queue in one configuration. */
export interface Contender {
  readonly name: string;
  /** Its file in contenders/. */
  readonly module: string;
  readonly isTuned: boolean;
  readonly store: "postgres" | "redis";
  readonly role: "lockstep" | "peer" | "limit";
  /** Slow queues get this fraction of the jobs, or one part would take hours; the unit is a rate, so it stays fair. */
  readonly share: number;
  /** The same for three stages, where handing a job on one at a time can be slower by far. */
  readonly stagedShare: number;
  /** What is set, and where its documentation says so. */
  readonly notes: string;
  /** Another checkout whose code it runs. */
  readonly checkout?: string;
}

const tuned = { isTuned: true, store: "postgres", role: "peer", share: 1, stagedShare: 1 } as const;
const asInstalled = {
  isTuned: false,
  store: "postgres",
  role: "peer",
  share: 0.03,
  stagedShare: 0.03,
} as const;

/** Who takes part. Names are those of the tables and of `--contenders`. */
export const contenders: readonly Contender[] = [
  {
    ...tuned,
    name: "lockstep",
    module: "lockstep",
    role: "lockstep",
    notes: "public API, default schema, fences and history on; processors: 100 per stage",
  },
  {
    ...asInstalled,
    name: "lockstep default",
    module: "lockstep",
    role: "lockstep",
    share: 1,
    notes: "createEngine({ databaseUrl, pipelines }) and nothing else",
  },
  {
    ...tuned,
    name: "lockstep owners",
    module: "lockstep-owners",
    role: "lockstep",
    notes: "as lockstep; the jobs belong to 100 owners",
  },
  {
    ...tuned,
    name: "lockstep concurrency",
    module: "lockstep-concurrency",
    role: "lockstep",
    share: 0.2,
    notes: "as lockstep, with concurrency: 50",
  },
  {
    ...tuned,
    name: "lockstep groups",
    module: "lockstep-groups",
    role: "lockstep",
    share: 0.2,
    notes: "as lockstep, with groupConcurrency: 5 and 100 groups",
  },
  {
    ...tuned,
    name: "plain-sql",
    module: "plain-sql",
    role: "limit",
    notes:
      "two connections claim 1,000 rows by UPDATE … SKIP LOCKED and DELETE them; no fences, retries or history",
  },
  {
    ...tuned,
    name: "graphile-worker",
    module: "graphile-worker",
    stagedShare: 0.06,
    notes:
      "concurrentJobs 24, maxPoolSize 25, localQueue.size 500, complete- and failJobBatchDelay 0: the configuration of its own benchmark, https://worker.graphile.org/docs/performance; adds by addJobs in batches of 10,000",
  },
  {
    ...asInstalled,
    name: "graphile-worker default",
    module: "graphile-worker",
    notes:
      "run({ connectionString, taskList }); one job at a time, https://worker.graphile.org/docs/performance",
  },
  {
    ...tuned,
    name: "pg-boss",
    module: "pg-boss",
    notes:
      "batchSize 2,500 with localConcurrency 4 (5,000 with 1 where single jobs are waited for or the processors are given), burstWhenBatchFull and pollingIntervalSeconds 0.5, https://pgboss.io/api/workers; useListenNotify and notify per queue, https://pgboss.io/api/constructor; adds by insert() in batches of 10,000, https://pgboss.io/api/jobs",
  },
  {
    ...asInstalled,
    name: "pg-boss default",
    module: "pg-boss",
    share: 0.01,
    notes: "work(name, handler): 1 job every 2 seconds, https://pgboss.io/api/workers",
  },
  {
    ...tuned,
    name: "bullmq-redis",
    module: "bullmq-redis",
    store: "redis",
    share: 0.5,
    stagedShare: 0.25,
    notes:
      'concurrency 100 ("between 100 and 300"), https://docs.bullmq.io/guide/parallelism-and-concurrency; finished jobs removed, https://docs.bullmq.io/guide/workers/auto-removal-of-jobs; addBulk, https://docs.bullmq.io/guide/queues/adding-bulks; Redis with appendonly yes, appendfsync everysec, https://docs.bullmq.io/guide/going-to-production',
  },
  {
    ...asInstalled,
    name: "bullmq-redis default",
    module: "bullmq-redis",
    store: "redis",
    notes:
      "new Worker(name, handler, { connection }): concurrency 1, https://docs.bullmq.io/guide/workers/concurrency",
  },
  {
    ...tuned,
    name: "bullmq-postgres",
    module: "bullmq-postgres",
    share: 0.02,
    stagedShare: 0.015,
    notes:
      "concurrency 16, pools of 10, finished jobs removed, addBulk in concurrent batches: the tuning tips and the indicative numbers of https://docs.bullmq.io/guide/postgresql (synchronous_commit stays on)",
  },
  {
    ...asInstalled,
    name: "bullmq-postgres default",
    module: "bullmq-postgres",
    share: 0.015,
    notes: "connection string only: concurrency 1, https://docs.bullmq.io/guide/postgresql",
  },
  {
    ...tuned,
    name: "dbos",
    module: "dbos",
    share: 0.02,
    stagedShare: 0.015,
    notes:
      "registerQueue with minPollingIntervalMs 10 and workerConcurrency 500, systemDatabasePoolSize 20: https://docs.dbos.dev/typescript/reference/queues and its DBOSConfig; its user-facing API has no bulk enqueue, so 100 calls are under way at a time",
  },
  {
    ...asInstalled,
    name: "dbos default",
    module: "dbos",
    share: 0.015,
    notes: "registerQueue(name): polls once a second, https://docs.dbos.dev/typescript/reference/queues",
  },
];

/** Lockstep as another checkout has it: a peer, so that the ratio says what has changed between the two. */
export function lockstepBefore(checkout: string): Contender {
  return {
    ...tuned,
    name: "lockstep before",
    module: "lockstep",
    checkout,
    notes: "as lockstep, from another checkout of this repository",
  };
}
