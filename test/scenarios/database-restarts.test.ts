// In real time: the quiet of the log is measured against a real outage.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import { recordEvents } from "@lockstep/test-support";
import { DatabaseUnavailableError, type Logger, migrate } from "lockstep";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { storyEngine } from "./story-engine.ts";
import { finishErrand, storyPipelines } from "./story-pipelines.ts";

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
});
afterEach(async () => {
  expect(await storyEngine(server).verify()).toEqual([]);
});
afterAll(async () => {
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
});

interface Line {
  readonly atMs: number;
  readonly event: string;
}

/** A logger that keeps what the engine tells people; what handlers log is theirs. */
function keptLines() {
  const lines: Line[] = [];
  const keep = (fields: object) => {
    const { event } = fields as { event: string };
    if (event !== "job.log") lines.push({ atMs: performance.now(), event });
  };
  const logger: Logger = { debug: () => {}, info: keep, warn: keep, error: keep };
  return { lines, logger };
}

test("jobs go on by themselves after the database was away, and the log stays quiet about it", async () => {
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
  // The second line about it says that the quiet time is over.
  while (lines.filter(({ event }) => event === "database.down").length < 2) {
    await events.next("database.down", undefined, { limitMs: 20_000 });
  }
  await startServer();
  expect(await engine.result(id, { timeoutMs: 30_000 })).toEqual({ pid: process.pid });
  const { id: laterId } = await engine.add(errand, { do: "answer" });
  expect(await engine.result(laterId, { timeoutMs: 30_000 })).toEqual({ pid: process.pid });

  expect((await engine.get(id))?.attempts.map(({ outcome }) => outcome)).toEqual(["done"]);
  const [first, second, ...rest] = lines;
  expect([first?.event, second?.event]).toEqual(["database.down", "database.down"]);
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(5_000);
  expect(rest.map(({ event }) => event)).toEqual(["database.up"]);
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
  expect(await engine.result(id, { timeoutMs: 30_000 })).toEqual({ pid: process.pid });
});

test.each([
  {
    mistake: "a wrong password",
    make: (url: URL) => {
      url.password = "wrong";
    },
    sentence: "PostgreSQL refuses this user: correct the user and password in databaseUrl.",
  },
  {
    mistake: "a database that does not exist",
    make: (url: URL) => {
      url.pathname = "/nowhere";
    },
    sentence: "PostgreSQL has no such database: create it, or correct the name in databaseUrl.",
  },
])("start() refuses $mistake with a sentence that says what to do", async ({ make, sentence }) => {
  const url = new URL(server.url);
  make(url);
  await expect(storyEngine({ url: url.href }).start()).rejects.toThrow(sentence);
});
