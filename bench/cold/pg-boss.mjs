import { PgBoss } from "pg-boss";
import { firstJob, run, told } from "./told.mjs";

const queue = "notifying-1";
const { handle, reached } = firstJob();

await run({
  // For a process that only sends: https://pgboss.io/api/constructor
  async add(connectionString, payload) {
    const boss = new PgBoss({ connectionString, migrate: false, supervise: false, schedule: false });
    await boss.start();
    await boss.send(queue, payload);
    told("added");
    await boss.stop({ graceful: false, timeout: 5_000 });
  },
  async work(connectionString) {
    const boss = new PgBoss({ connectionString, migrate: false, useListenNotify: true });
    await boss.start();
    await boss.work(queue, { batchSize: 5_000, pollingIntervalSeconds: 0.5 }, async () => handle());
    await reached;
    await boss.offWork(queue, { wait: true });
    await boss.stop({ graceful: false, timeout: 5_000 });
  },
});
