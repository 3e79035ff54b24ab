import pg from "pg";
import { type BullMq, openBullMq } from "./bullmq.ts";
import type { ContenderModule } from "./contender.ts";

const concurrency = 16;
// A pool for each queue and worker: more of them would not fit into PostgreSQL's default of 100 connections.
const connections = 10;

export const contender: ContenderModule = {
  history: null,
  async install({ url, load }) {
    const { runMigrations } = (await load("bullmq")) as BullMq;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await runMigrations(client);
    await client.end();
  },
  async open(options) {
    const bullMq = (await options.load("bullmq")) as BullMq;
    const connection = options.isTuned ? { connectionString: options.url, max: connections } : options.url;
    return openBullMq(bullMq, options, { connection, backend: bullMq.createPostgresBackend, concurrency });
  },
};
