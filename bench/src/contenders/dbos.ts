import { randomUUID } from "node:crypto";
import pg from "pg";
import type { ContenderModule, Driver, OpenOptions, Payload, WorkOptions } from "./contender.ts";
import { eachLimited } from "./each-limited.ts";

// What is used of @dbos-inc/dbos-sdk 5; its own types are installed outside the workspaces.
interface Dbos {
  setConfig(config: Record<string, unknown>): void;
  launch(): Promise<void>;
  shutdown(options?: { deregister: boolean }): Promise<void>;
  registerQueue(name: string, options?: Record<string, unknown>): Promise<unknown>;
  registerWorkflow(workflow: (payload: Payload) => Promise<void>, config: { name: string }): unknown;
  runStep<T>(step: () => Promise<T>, config: { name: string }): Promise<T>;
}

interface Client {
  enqueue(options: Record<string, unknown>, payload: Payload): Promise<unknown>;
  destroy(): Promise<void>;
}

interface DbosModule {
  DBOS: Dbos;
  DBOSClient: { create(options: Record<string, unknown>): Promise<Client> };
}

const name = "bench";
const version = { appVersion: name };
const enqueuesAtOnce = 100;

export const contender: ContenderModule = {
  history: { table: "dbos.workflow_status", fresh: { workflow_uuid: "gen_random_uuid()::text" } },
  async install(options) {
    const stop = await launch(options, {
      stages: 1,
      processors: null,
      isBusy: false,
      handle: () => undefined,
    });
    await stop();
  },
  async open(options): Promise<Driver> {
    const { DBOSClient } = (await options.load("@dbos-inc/dbos-sdk")) as DbosModule;
    const client = await DBOSClient.create({
      systemDatabaseUrl: options.url,
      applicationName: name,
      ...(options.isTuned ? { systemDatabasePoolSize: 20 } : {}),
    });
    const sql = new pg.Client({ connectionString: options.url });
    await sql.connect();
    const enqueue = (payload: Payload, stages: number) =>
      client.enqueue({ queueName: name, workflowName: workflowOf(stages), ...version }, payload);
    return {
      addMany: (payloads, stages) =>
        eachLimited(payloads, enqueuesAtOnce, async (payload) => void (await enqueue(payload, stages))),
      add: (payload) => enqueue(payload, 1),
      work: (work) => launch(options, work),
      async isDrained() {
        const { rows } = await sql.query(
          "select not exists (select from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')) as yes",
        );
        return rows[0].yes;
      },
      async close() {
        await client.destroy();
        await sql.end();
      },
    };
  },
};

/** One application a process is all that DBOS allows; it is launched anew for each work. */
async function launch(
  { url, isTuned, load }: OpenOptions,
  { stages, processors, handle }: WorkOptions,
): Promise<() => Promise<void>> {
  const { DBOS } = (await load("@dbos-inc/dbos-sdk")) as DbosModule;
  DBOS.setConfig({
    name,
    systemDatabaseUrl: url,
    applicationVersion: version.appVersion,
    executorID: randomUUID(),
    logLevel: "error",
    ...(isTuned ? { systemDatabasePoolSize: 20 } : {}),
  });
  // Stages the DBOS way: steps of one workflow, each checkpointed.
  const workflow = async (payload: Payload) => {
    for (let stage = 1; stage < stages; stage += 1) {
      await DBOS.runStep(async () => undefined, { name: `step-${stage}` });
    }
    if (stages > 1) await DBOS.runStep(async () => handle(payload), { name: `step-${stages}` });
    else await handle(payload);
  };
  DBOS.registerWorkflow(workflow, { name: workflowOf(stages) });
  await DBOS.launch();
  const limits = { minPollingIntervalMs: 10, workerConcurrency: processors ?? 500 };
  await DBOS.registerQueue(name, { ...(isTuned ? limits : {}), onConflict: "always_update" });
  return () => DBOS.shutdown({ deregister: true });
}

function workflowOf(stages: number): string {
  return `bench-${stages}`;
}
