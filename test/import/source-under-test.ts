import type { TestDatabase } from "@lockstep/test-support";
import { onTestFinished } from "vitest";
import { aBoss } from "./a-boss.ts";
import { graphileWorker } from "./a-graphile-worker.ts";

/** A real queue in PostgreSQL with jobs `{ n }` in a queue or task "email". */
export interface SourceUnderTest {
  readonly name: "pg-boss" | "graphile-worker";
  /** The table that jobs are deleted from. */
  readonly table: string;
  /** Makes the queue anew. */
  install(db: TestDatabase): Promise<void>;
  add(db: TestDatabase, numbers: readonly number[]): Promise<void>;
  /** Its own worker, which tells the number of every job that it runs, until the function that it returns is called. */
  work(db: TestDatabase, onJob: (n: number) => Promise<void>): Promise<() => Promise<void>>;
  /** The numbers of the jobs that it has. */
  numbers(db: TestDatabase): Promise<number[]>;
}

export const sourcesUnderTest: readonly SourceUnderTest[] = [
  {
    name: "pg-boss",
    table: "pgboss.job_common",
    async install(db) {
      await db.query("drop schema if exists pgboss cascade");
      await aBoss(db.url);
    },
    async add(db, numbers) {
      const boss = await aBoss(db.url);
      await boss.insert(
        "email",
        numbers.map((n) => ({ data: { n } })),
      );
    },
    async work(db, onJob) {
      const boss = await aBoss(db.url);
      const options = { batchSize: 20, pollingIntervalSeconds: 0.5 };
      await boss.work<{ n: number }>("email", options, async (jobs) => {
        for (const { data } of jobs) await onJob(data.n);
      });
      return () => boss.offWork("email", { wait: true });
    },
    numbers: (db) =>
      numbersOf(db, "select (data ->> 'n')::int as n from pgboss.job where state < 'completed' order by 1"),
  },
  {
    name: "graphile-worker",
    table: "graphile_worker._private_jobs",
    async install(db) {
      await db.query("drop schema if exists graphile_worker cascade");
      await (await graphileWorker()).migrate({ connectionString: db.url });
    },
    async add(db, numbers) {
      const utils = await (await graphileWorker()).utils({ connectionString: db.url });
      await utils.addJobs(numbers.map((n) => ({ identifier: "email", payload: { n } })));
      await utils.release();
    },
    async work(db, onJob) {
      const runner = await (await graphileWorker()).run({
        connectionString: db.url,
        noHandleSignals: true,
        concurrency: 2,
        taskList: { email: (payload) => onJob((payload as { n: number }).n) },
      });
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= runner.stop();
        return stopping;
      };
      onTestFinished(stop);
      return stop;
    },
    numbers: (db) =>
      numbersOf(db, "select (payload ->> 'n')::int as n from graphile_worker._private_jobs order by 1"),
  },
];

async function numbersOf(db: TestDatabase, statement: string): Promise<number[]> {
  return (await db.query<{ n: number }>(statement)).map(({ n }) => n);
}
