import pg from "pg";
import type { ContenderModule, Driver, OpenOptions, Payload, WorkOptions } from "../contender.ts";
import { batchesOf } from "./batches.ts";
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

const jobsPerInsert = 10_000;
const batchSize = 5_000;
const queueOf = (stage: number) => `stage-${stage}`;

export const contender: ContenderModule = {
  history: { table: "pgboss.job", fresh: { id: "uuidv7()" } },
  async install(options) {
    const boss = await startBoss(options);
    for (let stage = 1; stage <= 3; stage += 1) {
      await boss.createQueue(queueOf(stage), options.isTuned ? { notify: true } : {});
    }
    await boss.stop({ graceful: true, timeout: 5_000 });
  },
  async open(options): Promise<Driver> {
    const { url, isTuned } = options;
    const boss = await startBoss(options);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      async addMany(payloads) {
        for (const batch of batchesOf(payloads, jobsPerInsert)) {
          await boss.insert(
            queueOf(1),
            batch.map((data) => ({ data })),
          );
        }
      },
      add: (payload) => boss.send(queueOf(1), payload),
      async work(work) {
        for (let stage = 1; stage <= work.stages; stage += 1) {
          const handler = handlerOf(boss, stage, work);
          if (!isTuned) await boss.work(queueOf(stage), handler);
          else {
            const polling = { pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
            await boss.work(queueOf(stage), { batchSize, ...polling }, handler);
          }
        }
        return async () => {
          for (let stage = 1; stage <= work.stages; stage += 1)
            await boss.offWork(queueOf(stage), { wait: true });
        };
      },
      async isDrained() {
        const { rows } = await client.query(
          "select not exists (select from pgboss.job where state < 'completed') as yes",
        );
        return rows[0].yes;
      },
      async close() {
        await boss.stop({ graceful: false, timeout: 5_000 });
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

function handlerOf(boss: Boss, stage: number, { stages, processors, handle }: WorkOptions): Handler {
  if (stage < stages) return async (jobs) => void (await boss.insert(queueOf(stage + 1), jobs.map(onlyData)));
  return (jobs) => eachLimited(jobs, processors ?? jobs.length, ({ data }) => handle(data));
}

function onlyData({ data }: { data: Payload }): { data: Payload } {
  return { data };
}
