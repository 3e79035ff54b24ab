import pg from "pg";
import { batchesOf } from "./batches.ts";
import type { ContenderModule, Driver, Payload, WorkOptions } from "./contender.ts";

// What is used of graphile-worker 0.18; its own types are installed outside the workspaces.
interface GraphileWorker {
  run(options: Record<string, unknown>): Promise<{ stop(): Promise<void> }>;
  runMigrations(options: Record<string, unknown>): Promise<void>;
  makeWorkerUtils(options: Record<string, unknown>): Promise<WorkerUtils>;
  Logger: new (factory: () => () => void) => unknown;
}

interface WorkerUtils {
  addJob(identifier: string, payload: Payload): Promise<unknown>;
  addJobs(specs: { identifier: string; payload: Payload }[]): Promise<unknown>;
  release(): Promise<void>;
}

type Task = (payload: Payload, helpers: Pick<WorkerUtils, "addJob">) => unknown;

const jobsPerCall = 10_000;
const tunedJobs = 24;

export const contender: ContenderModule = {
  history: null,
  async install({ url, load }) {
    const graphile = (await load("graphile-worker")) as GraphileWorker;
    await graphile.runMigrations({ connectionString: url, logger: silent(graphile) });
  },
  async open({ url, isTuned, load }): Promise<Driver> {
    const graphile = (await load("graphile-worker")) as GraphileWorker;
    const shared = { connectionString: url, logger: silent(graphile) };
    const utils = await graphile.makeWorkerUtils(shared);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      async addMany(payloads) {
        for (const batch of batchesOf(payloads, jobsPerCall)) {
          await utils.addJobs(batch.map((payload) => ({ identifier: "stage-1", payload })));
        }
      },
      add: (payload) => utils.addJob("stage-1", payload),
      async work(options) {
        const preset = isTuned ? tunedPreset(options.processors ?? tunedJobs) : undefined;
        const runner = await graphile.run({
          ...shared,
          ...(preset === undefined ? {} : { preset }),
          ...(isTuned || options.processors === null ? {} : { concurrency: options.processors }),
          noHandleSignals: true,
          taskList: tasks(options),
        });
        return () => runner.stop();
      },
      async isDrained() {
        const { rows } = await client.query(
          "select not exists (select from graphile_worker._private_jobs) as yes",
        );
        return rows[0].yes;
      },
      async close() {
        await utils.release();
        await client.end();
      },
    };
  },
};

function tunedPreset(concurrentJobs: number) {
  return {
    worker: {
      concurrentJobs,
      maxPoolSize: 25,
      localQueue: { size: Math.max(500, concurrentJobs + 1) },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  };
}

function tasks({ stages, handle }: WorkOptions): Record<string, Task> {
  const list: Record<string, Task> = { [`stage-${stages}`]: (payload) => handle(payload) };
  for (let stage = 1; stage < stages; stage += 1) {
    list[`stage-${stage}`] = (payload, helpers) => helpers.addJob(`stage-${stage + 1}`, payload);
  }
  return list;
}

function silent({ Logger }: GraphileWorker): unknown {
  return new Logger(() => () => {});
}
