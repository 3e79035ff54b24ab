// In real time: the subject is what the database is asked while five hundred sockets are open.
import { setTimeout as sleep } from "node:timers/promises";
import { JobFactory, StreamReader, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../processes/server-process.ts";

const db = testDatabase();
const jobs = new JobFactory(db);

const streams = 500;
const windowMs = 2_000;
const eventsInWindow = 20;

/** How many transactions the database has counted; each connection tells of its own at most once a second. */
async function transactions(): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
  );
  return Number(row?.count);
}

/** Adds jobs over a while, and says which and how many transactions a second there were besides. */
async function window(): Promise<{ ids: string[]; perSecond: number }> {
  const ids: string[] = [];
  const beganAtMs = performance.now();
  const before = await transactions();
  for (let n = 0; n < eventsInWindow; n += 1) {
    ids.push(await jobs.aPendingJob({ owner: `owner-${n % 3}` }));
    await sleep(windowMs / eventsInWindow);
  }
  const spent = (await transactions()) - before - eventsInWindow;
  return { ids, perSecond: (spent * 1_000) / (performance.now() - beganAtMs) };
}

test("500 open streams cost the database what one does, and all tell the same", async () => {
  await jobs.aPipeline("orders", ["read"]);
  const { url } = await startServer(db);
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const open = async () => {
    const target = `${url}/api/v1/events?topics=jobs,stats,workers`;
    const response = await fetch(target, { signal: over.signal });
    expect(response.status).toBe(200);
    const stream = new StreamReader(response);
    // Its place in the log.
    while ((await stream.next())?.id === null);
    return stream;
  };

  const first = await open();
  // What connections told late is not of the first window.
  await sleep(1_200);
  const alone = await window();

  const others = await Promise.all(Array.from({ length: streams - 1 }, open));
  expect((await fetch(`${url}/api/v1/events`)).status).toBe(503);
  await sleep(1_200);
  const crowded = await window();

  const told = async (stream: StreamReader, count: number) => {
    const seen: unknown[] = [];
    while (seen.length < count) seen.push(((await stream.nextOf("job")).data as { jobId: string }).jobId);
    return seen;
  };
  expect(await told(first, 2 * eventsInWindow)).toEqual([...alone.ids, ...crowded.ids]);
  const all = await Promise.all(others.map((stream) => told(stream, eventsInWindow)));
  expect(all).toEqual(others.map(() => crowded.ids));
  // Both of some six: four reads of the log and two samples. A read per stream would be a thousand and more.
  expect(crowded.perSecond).toBeLessThan(alone.perSecond * 1.5 + 20);
});
