import { randomUUID } from "node:crypto";
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { firstJob, run, told } from "./told.mjs";

const name = "bench";
const { handle, reached } = firstJob();

await run({
  async add(systemDatabaseUrl, payload) {
    const client = await DBOSClient.create({ systemDatabaseUrl, applicationName: name });
    await client.enqueue({ queueName: name, workflowName: "bench-1", appVersion: name }, payload);
    told("added");
    await client.destroy();
  },
  async work(systemDatabaseUrl) {
    DBOS.setConfig({
      name,
      systemDatabaseUrl,
      applicationVersion: name,
      executorID: randomUUID(),
      logLevel: "error",
    });
    DBOS.registerWorkflow(async () => handle(), { name: "bench-1" });
    await DBOS.launch();
    const limits = { minPollingIntervalMs: 10, workerConcurrency: 500 };
    await DBOS.registerQueue(name, { ...limits, onConflict: "always_update" });
    await reached;
    await DBOS.shutdown();
  },
});
