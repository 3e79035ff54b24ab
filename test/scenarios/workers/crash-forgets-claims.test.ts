// In real time, on a server of its own with its disk in earnest: what a crash forgets is what was not on it.
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import { type RecordedEvents, recordEvents } from "@lockstep/test-support";
import { type Engine, migrate } from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storyEngine } from "../stories/story-engine.ts";
import { finishErrand, storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const { errand } = storyPipelines();
const dataFolder = join(tmpdir(), `lockstep-crash-${randomUUID()}`);
// Claims need no fsync: the WAL writer brings them to the disk, here only after ten seconds.
const settings = { fsync: "on", wal_writer_delay: "10s", wal_writer_flush_after: "1GB" };
let server: LocalPostgres;

async function startServer(): Promise<void> {
  const port = server === undefined ? undefined : Number(new URL(server.url).port);
  await until("the server starts again", async () => {
    try {
      server = await startPostgres({ dataFolder, settings, port });
      return true;
    } catch {
      return false; // processes of the server that was killed are still leaving
    }
  });
}

beforeAll(async () => {
  await startServer();
  await migrate({ databaseUrl: server.url });
}, 180_000);
afterAll(async () => {
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
});

interface Worker {
  readonly engine: Engine;
  readonly events: RecordedEvents;
}

async function aWorker(): Promise<Worker> {
  const engine = storyEngine(server);
  const events = recordEvents(engine);
  await engine.start();
  return { engine, events };
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Kills the server while jobs of both workers wait to be finished. Says how many claims it has forgotten. */
async function crash(started: () => ReadonlySet<string>, alreadyStarted: number): Promise<number> {
  // All their processors are busy, and the last claims came a moment ago.
  await until("both are at work", async () => started().size >= alreadyStarted + 20);
  const { pid } = server;
  const crashedAt = (await query<{ now: Date }>("select clock_timestamp() as now"))[0]?.now as Date;
  process.kill(pid, "SIGKILL");
  await startServer();

  const running = [...started()].slice(alreadyStarted);
  await until("their jobs are held again", async () => {
    const held = await query("select from lockstep.jobs where status = 'processing' and id = any ($1)", [
      running,
    ]);
    return held.length === running.length;
  });
  const again = await query("select from lockstep.jobs where claimed_at > $1 and id = any ($2)", [
    crashedAt,
    running,
  ]);
  return again.length;
}

test("jobs of live workers go on after a crash of PostgreSQL that has forgotten their claims, and none runs twice", {
  timeout: 300_000,
}, async () => {
  const workers = [await aWorker(), await aWorker()];
  const [{ engine }] = workers as [Worker, Worker];
  const starts = () => workers.flatMap(({ events }) => events.all("job.started").map(({ jobId }) => jobId));
  const started = () => new Set(starts());
  const ids: string[] = [];
  // On a slow machine the claims may be on the disk before the crash; then there is another one.
  for (let forgotten = 0; forgotten === 0; ) {
    const { size } = started();
    const added = await engine.addMany(
      errand,
      Array.from({ length: 20 }, () => ({ payload: { do: "wait" as const } })),
    );
    ids.push(...added.map(({ id }) => id));
    forgotten = await crash(started, size);
    for (const { id } of added) finishErrand(id);
    for (const { id } of added) {
      expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
    }
  }

  expect(starts().sort()).toEqual([...ids].sort());
  for (const { events } of workers) {
    expect(events.names()).not.toContain("claim.lost");
    expect(events.names()).not.toContain("worker.lost");
  }
  for (const id of ids) expect((await engine.get(id))?.attempts).toHaveLength(1);
  expect(await engine.verify()).toEqual([]);
});
