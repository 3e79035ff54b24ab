import type { TestDatabase } from "@lockstep/test-support";
import { createPostgresBackend, Queue, runMigrations, Worker } from "bullmq";
import { Redis as RedisClient } from "ioredis";
import pg from "pg";
import { onTestFinished } from "vitest";
import { type Redis, startRedis } from "../../bench/src/machine/redis.ts";
import { allRows } from "./source-rows.ts";

/** Where a real BullMQ keeps its jobs. */
export interface BullMqStore {
  readonly url: string;
  /** It ends with the test, and so does the worker. */
  queue(name: string): Queue;
  /** One of its own. */
  worker(name: string, run: (data: { n: number }) => unknown): Worker;
  /** Everything that it has stored, to compare. */
  everything(): Promise<unknown>;
  stop(): Promise<void>;
}

export async function bullMqOnRedis(): Promise<BullMqStore> {
  const redis = (await startRedis()) as Redis;
  const { hostname, port } = new URL(redis.url);
  const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
  return {
    url: redis.url,
    queue: (name) => closedAtEnd(new Queue(name, { connection })),
    worker: (name, run) => closedAtEnd(new Worker(name, async ({ data }) => run(data), { connection })),
    async everything() {
      const client = new RedisClient(connection);
      const keys = (await client.keys("*")).sort();
      const values = await Promise.all(keys.map((key) => client.dumpBuffer(key)));
      await client.quit();
      return Object.fromEntries(keys.map((key, index) => [key, values[index]?.toString("hex")]));
    },
    stop: () => redis.stop(),
  };
}

export async function bullMqOnPostgres(db: TestDatabase): Promise<BullMqStore> {
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  await runMigrations(client);
  await client.end();
  const connection = { connectionString: db.url, max: 4 };
  // With another store they are the same to their users, and another type.
  return {
    url: db.url,
    queue: (name) => closedAtEnd(new Queue(name, { connection }, createPostgresBackend) as unknown as Queue),
    worker: (name, run) =>
      closedAtEnd(
        new Worker(
          name,
          async ({ data }) => run(data),
          { connection },
          createPostgresBackend,
        ) as unknown as Worker,
      ),
    everything: () => allRows(db, ["bullmq"]),
    stop: async () => {},
  };
}

function closedAtEnd<Kind extends Queue | Worker>(made: Kind): Kind {
  (made as Queue).on("error", () => {});
  onTestFinished(() => made.close());
  return made;
}
