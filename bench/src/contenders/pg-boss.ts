import pg from "pg";
import { batchesOf } from "./batches.ts";
import type { ContenderModule, Driver, OpenOptions, Payload, WorkOptions } from "./contender.ts";
import { eachLimited } from "./each-limited.ts";

// What is used of pg-boss 12; its own types are installed outside the workspaces.
interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; timeout: number }): Promise<void>;
  createQueue(name: string, options?: Record<string, unknown>): Promise<void>;
  send(name: string, data: Payload): Promise<unknown>;
  insert(name: string, jobs: { data: Payload }[]): Promise<unknown>;
  work(name: string, options: Record<string, unknown>, handler: Handler): Promise<unknown>;
  work(name: string, handler: Handler): Promise<unknown>;
  offWork(name: string, options: { wait: boolean }): Promise<void>;
}

type Handler = (jobs: { data: Payload }[]) => Promise<void>;
type BossModule = { PgBoss: new (options: Record<string, unknown>) => Boss };
type QueueOf = (stage: number) => string;

const jobsPerInsert = 10_000;
// Four loops keep both sides busy where one would fetch, call and complete in turn.
const busy = { batchSize: 2_500, localConcurrency: 4 };
// For single jobs each further loop would only poll, and a number of processors is that of one loop.
const single = { batchSize: 5_000 };
const stages = [1, 2, 3];
const tunedQueueOf: QueueOf = (stage) => `notifying-${stage}`;
const defaultQueueOf: QueueOf = (stage) => `stage-${stage}`;

// In the words of the index of unfinished jobs that pg-boss has: a look at all it keeps would take long.
const isDrained = `
  select not exists (
    select from pgboss.job where name = any($1) and state in ('created', 'retry', 'active')
  ) as yes`;

export const contender: ContenderModule = {
  history: { table: "pgboss.job", fresh: { id: "uuidv7()" } },
  async install(options) {
    const boss = await startBoss(options);
    for (const stage of stages) {
      await boss.createQueue(defaultQueueOf(stage));
      await boss.createQueue(tunedQueueOf(stage), { notify: true });
    }
    await boss.stop({ graceful: true, timeout: 5_000 });
  },
  async open(options): Promise<Driver> {
    const { url, isTuned } = options;
    const queueOf = isTuned ? tunedQueueOf : defaultQueueOf;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    let starting: Promise<Boss> | null = null;
    const producer = () => {
      starting ??= startBoss(options);
      return starting;
    };
    return {
      async addMany(payloads) {
        const boss = await producer();
        for (const batch of batchesOf(payloads, jobsPerInsert)) {
          await boss.insert(
            queueOf(1),
            batch.map((data) => ({ data })),
          );
        }
      },
      add: async (payload) => (await producer()).send(queueOf(1), payload),
      // Started with the clock running, as every other worker is.
      async work(work) {
        const boss = await startBoss(options);
        for (const stage of stages.slice(0, work.stages)) {
          const handler = handlerOf(boss, stage, queueOf, work);
          if (!isTuned) await boss.work(queueOf(stage), handler);
          else {
            const polling = { pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
            await boss.work(
              queueOf(stage),
              { ...(work.isBusy && work.processors === null ? busy : single), ...polling },
              handler,
            );
          }
        }
        return async () => {
          for (const stage of stages.slice(0, work.stages)) {
            await boss.offWork(queueOf(stage), { wait: true });
          }
          await boss.stop({ graceful: false, timeout: 5_000 });
        };
      },
      isDrained: async () => (await client.query(isDrained, [stages.map(queueOf)])).rows[0].yes,
      async close() {
        await (await starting)?.stop({ graceful: false, timeout: 5_000 });
        await client.end();
      },
    };
  },
};

async function startBoss({ url, isTuned, load }: OpenOptions): Promise<Boss> {
  const { PgBoss } = (await load("pg-boss")) as BossModule;
  const boss = new PgBoss({ connectionString: url, ...(isTuned ? { useListenNotify: true } : {}) });
  boss.on("error", ({ message }) => process.stderr.write(`${message}\n`));
  await boss.start();
  return boss;
}

function handlerOf(boss: Boss, stage: number, queueOf: QueueOf, work: WorkOptions): Handler {
  const { processors, handle } = work;
  if (stage < work.stages) {
    return async (jobs) => void (await boss.insert(queueOf(stage + 1), jobs.map(onlyData)));
  }
  return (jobs) => eachLimited(jobs, processors ?? jobs.length, ({ data }) => handle(data));
}

function onlyData({ data }: { data: Payload }): { data: Payload } {
  return { data };
}
