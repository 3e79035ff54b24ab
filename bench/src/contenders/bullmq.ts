import { batchesOf } from "./batches.ts";
import type { Driver, OpenOptions, Payload, WorkOptions } from "./contender.ts";

// What is used of BullMQ 6; its own types are installed outside the workspaces.
export interface BullMq {
  Queue: new (name: string, options: Record<string, unknown>, backend?: unknown) => Queue;
  Worker: new (
    name: string,
    handler: (job: { data: Payload }) => unknown,
    options: Record<string, unknown>,
    backend?: unknown,
  ) => Worker;
  createPostgresBackend: unknown;
  runMigrations(client: unknown): Promise<void>;
}

interface Queue {
  add(name: string, data: Payload): Promise<unknown>;
  addBulk(jobs: { name: string; data: Payload }[]): Promise<unknown>;
  getJobCounts(...states: string[]): Promise<Record<string, number>>;
  on(event: "error", listener: (error: Error) => void): void;
  close(): Promise<void>;
}

interface Worker {
  waitUntilReady(): Promise<unknown>;
  on(event: "error", listener: (error: Error) => void): void;
  close(): Promise<void>;
}

/** One driver for both stores: they differ in the connection and in how much at a time is best. */
export interface BullMqSettings {
  readonly connection: unknown;
  readonly backend: unknown;
  readonly concurrency: number;
}

const jobsPerBulk = 1_000;
const bulksAtOnce = 4;
const unfinished = ["active", "waiting", "delayed", "prioritized", "paused"];
const queueOf = (stage: number) => `stage-${stage}`;

export function openBullMq(
  { Queue, Worker }: BullMq,
  { isTuned }: Pick<OpenOptions, "isTuned">,
  { connection, backend, concurrency }: BullMqSettings,
): Driver {
  const queues = new Map<number, Queue>();
  const queue = (stage: number): Queue => {
    const existing = queues.get(stage);
    if (existing !== undefined) return existing;
    const made = new Queue(queueOf(stage), { connection }, backend);
    made.on("error", complain);
    queues.set(stage, made);
    return made;
  };
  const handlerOf = (stage: number, { stages, handle }: WorkOptions) =>
    stage < stages
      ? ({ data }: { data: Payload }) => queue(stage + 1).add("job", data)
      : ({ data }: { data: Payload }) => handle(data);
  return {
    async addMany(payloads) {
      const bulks = batchesOf(payloads, jobsPerBulk);
      for (const together of batchesOf(bulks, isTuned ? bulksAtOnce : 1)) {
        await Promise.all(
          together.map((bulk) => queue(1).addBulk(bulk.map((data) => ({ name: "job", data })))),
        );
      }
    },
    add: (payload) => queue(1).add("job", payload),
    async work(options) {
      const settings = isTuned
        ? { connection, concurrency: options.processors ?? concurrency, removeOnComplete: { count: 0 } }
        : { connection };
      const workers: Worker[] = [];
      for (let stage = 1; stage <= options.stages; stage += 1) {
        const handler = handlerOf(stage, options);
        const worker = new Worker(queueOf(stage), async (job) => handler(job), settings, backend);
        worker.on("error", complain);
        workers.push(worker);
      }
      await Promise.all(workers.map((worker) => worker.waitUntilReady()));
      return async () => void (await Promise.all(workers.map((worker) => worker.close())));
    },
    async isDrained() {
      const counts = await Promise.all([1, 2, 3].map((stage) => queue(stage).getJobCounts(...unfinished)));
      return counts.every((count) => Object.values(count).every((jobs) => jobs === 0));
    },
    close: async () => void (await Promise.all([...queues.values()].map((made) => made.close()))),
  };
}

function complain(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}
