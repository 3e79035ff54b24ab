import { onTestFinished } from "vitest";
import { peerLibrary } from "./peer-library.ts";

/** As much of graphile-worker as is used here. */
export interface WorkerUtils {
  release(): unknown;
  migrate(): Promise<void>;
  addJob(task: string, payload: object, options?: object): Promise<{ id: string }>;
  addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>;
  permanentlyFailJobs(ids: readonly string[], reason: string): Promise<unknown>;
  rescheduleJobs(ids: readonly string[], options: object): Promise<unknown>;
}

interface Connecting {
  readonly connectionString: string;
}

export interface RunOptions extends Connecting {
  readonly taskList: Readonly<Record<string, (payload: unknown) => unknown>>;
  readonly noHandleSignals: boolean;
  readonly concurrency?: number;
  readonly crontab?: string;
}

interface Library {
  readonly Logger: new (factory: () => () => void) => object;
  makeWorkerUtils(options: Connecting & { logger: object }): Promise<WorkerUtils>;
  run(options: RunOptions & { logger: object }): Promise<{ stop(): Promise<void> }>;
  runMigrations(options: Connecting & { logger: object }): Promise<void>;
}

/** A real one, which says nothing. */
export async function graphileWorker() {
  const { Logger, makeWorkerUtils, run, runMigrations } = await peerLibrary<Library>("graphile-worker");
  const logger = new Logger(() => () => {});
  return {
    utils: (options: Connecting) => makeWorkerUtils({ ...options, logger }),
    run: (options: RunOptions) => run({ ...options, logger }),
    migrate: (options: Connecting) => runMigrations({ ...options, logger }),
  };
}

/** One without a worker, made if it is not there; it ends with the test. */
export async function aGraphileWorker(url: string): Promise<WorkerUtils> {
  const { utils: makeUtils } = await graphileWorker();
  const utils = await makeUtils({ connectionString: url });
  onTestFinished(async () => void (await utils.release()));
  await utils.migrate();
  return utils;
}
