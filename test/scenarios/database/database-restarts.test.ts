// In real time: outages are those of a real server.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import { recordEvents } from "@lockstep/test-support";
import { DatabaseUnavailableError, type Logger, migrate } from "lockstep";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { finishErrand, storyPipelines } from "../stories/story-pipelines.ts";

const { errand } = storyPipelines();
const dataFolder = join(tmpdir(), `lockstep-story-${randomUUID()}`);
const settings = { fsync: "off" };
let server: LocalPostgres;

async function startServer(): Promise<void> {
  const port = server === undefined ? undefined : Number(new URL(server.url).port);
  server = await startPostgres({ dataFolder, settings, port });
}

beforeAll(async () => {
  await startServer();
  await migrate({ databaseUrl: server.url });
}, 180_000);
afterEach(async () => {
  expect(await storyEngine(server).verify()).toEqual([]);
});
afterAll(async () => {
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
});

/** A logger that keeps what the engine tells people; what handlers log is theirs. */
function keptLines() {
  const lines: string[] = [];
  const keep = (fields: object) => {
    const { event } = fields as { event: string };
    if (event !== "job.log") lines.push(event);
  };
  const logger: Logger = { debug: () => {}, info: keep, warn: keep, error: keep };
  return { lines, logger };
}

test("jobs go on by themselves after the database was away, and the log has a line for its beginning and one for its end", async () => {
  const { lines, logger } = keptLines();
  const engine = storyEngine(server, { logger });
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(errand, { do: "wait" });
  await events.next("job.started");
  lines.length = 0;

  await server.stop();
  finishErrand(id);
  await expect(engine.add(errand, { do: "answer" })).rejects.toThrow(DatabaseUnavailableError);
  await events.next("database.down");
  await startServer();
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  const { id: laterId } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(laterId, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });

  expect((await engine.get(id))?.attempts.map(({ outcome }) => outcome)).toEqual(["done"]);
  expect(lines).toEqual(["database.down", "database.up"]);
});

test("a connection that is killed again and again costs no job and no line in the log", async () => {
  const { lines, logger } = keptLines();
  const engine = storyEngine(server, { logger });
  await engine.start();
  const killer = new pg.Client({ connectionString: server.url });
  await killer.connect();
  onTestFinished(() => killer.end());
  lines.length = 0;
  for (let time = 0; time < 10; time += 1) {
    const added = await engine.addMany(
      errand,
      Array.from({ length: 20 }, () => ({ payload: { do: "linger", forMs: 5 } as const })),
    );
    await killer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'lockstep %' and backend_type = 'client backend'
       order by random() limit 1`,
    );
    for (const { id } of added) await engine.result(id, { timeoutMs: 60_000 });
  }
  expect(lines).toEqual([]);
});

test("a worker whose handlers ignore their signals outlives an outage longer than its lease", async () => {
  const lease = { leaseMs: 6_000, heartbeatIntervalMs: 400, leaseMarginMs: 300, sweepIntervalMs: 250 };
  const engine = storyEngine(server, { ...lease, stopGraceMs: 20, healthIntervalMs: 200 });
  const events = recordEvents(engine);
  await engine.start();
  const held = await engine.addMany(
    errand,
    Array.from({ length: 4 }, () => ({ payload: { do: "wait", isHeedless: true } as const })),
  );
  for (const _ of held) await events.next("job.started");

  await server.stop();
  for (const _ of held) await events.next("processor.error", undefined, { limitMs: 20_000 });
  await startServer();
  for (const { id } of held) finishErrand(id);
  const { id } = await engine.add(errand, { do: "answer" });
  for (const job of [...held, { id }]) {
    expect(await engine.result(job.id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  }
  expect(events.names()).not.toContain("worker.spent");
});

test("an engine started while the database is down waits for it, and then works", async () => {
  await server.stop();
  const engine = storyEngine(server);
  const events = recordEvents(engine);
  const start = engine.start();
  await events.next("database.down");
  expect(events.names()).not.toContain("engine.started");

  await startServer();
  await start;
  const { id } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
});

test.each([
  {
    mistake: "a wrong password",
    make: (url: URL) => {
      url.password = "wrong";
    },
    sentence: "PostgreSQL refuses this user: correct the user and password in databaseUrl or connection.",
  },
  {
    mistake: "a database that does not exist",
    make: (url: URL) => {
      url.pathname = "/nowhere";
    },
    sentence: "PostgreSQL has no such database: create it, or correct the name in databaseUrl or connection.",
  },
])("start() refuses $mistake with a sentence that says what to do", async ({ make, sentence }) => {
  const url = new URL(server.url);
  make(url);
  await expect(storyEngine({ url: url.href }).start()).rejects.toThrow(sentence);
});
