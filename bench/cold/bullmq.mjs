import { firstJob, run, told } from "./told.mjs";

const name = "stage-1";

/** One program for both stores. */
export function bullMq({ Queue, Worker, backend, connectionTo, concurrency }) {
  const { handle, reached } = firstJob();
  return run({
    async add(url, payload) {
      const queue = new Queue(name, { connection: connectionTo(url) }, backend);
      await queue.add("job", payload);
      told("added");
      await queue.close();
    },
    async work(url) {
      const connection = connectionTo(url);
      const options = { connection, concurrency, removeOnComplete: { count: 0 } };
      const worker = new Worker(name, async () => handle(), options, backend);
      await reached;
      await worker.close();
    },
  });
}
