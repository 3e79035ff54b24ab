import { Logger, quickAddJob, run as runWorker } from "graphile-worker";
import { firstJob, run, told } from "./told.mjs";

const logger = new Logger(() => () => {});
const { handle, reached } = firstJob();

await run({
  // Its way for a process that adds one job: https://worker.graphile.org/docs/library/queue
  async add(connectionString, payload) {
    await quickAddJob({ connectionString, logger }, "stage-1", payload);
    told("added");
  },
  async work(connectionString) {
    const taskList = { "stage-1": handle };
    const worker = { concurrentJobs: 24, maxPoolSize: 25, localQueue: { size: 500 } };
    const runner = await runWorker({
      connectionString,
      logger,
      noHandleSignals: true,
      taskList,
      preset: { worker },
    });
    await reached;
    await runner.stop();
  },
});
