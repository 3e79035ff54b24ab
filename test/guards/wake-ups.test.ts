import { createEngine } from "lockstep";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jobs, oneStage, payload } from "./counted-work.ts";
import { quietDatabase } from "./quiet-database.ts";
import { SleepingWorkers } from "./sleeping-workers.ts";

const db = quietDatabase();
const workers = new SleepingWorkers(db, 3);
const client = createEngine({ databaseUrl: db.url, pipelines: [oneStage], logger: null });
const heard: string[] = [];
let ear: pg.Client;

beforeAll(async () => {
  const listens = await workers.start();
  ear = await db.connect();
  ear.on("notification", ({ channel }) => heard.push(channel));
  await ear.query([...listens, "listen guard_end"].join("; "));
});
afterAll(() => Promise.all([workers.stop(), client.stop()]));

/** How many wake-ups the work sent. They are heard in the order they were sent, so the last one ends the counting. */
async function wakeUpsOf(work: () => Promise<unknown>): Promise<number> {
  heard.length = 0;
  await work();
  const end = new Promise((resolve) => {
    const listen = ({ channel }: pg.Notification) => channel === "guard_end" && resolve(channel);
    ear.on("notification", listen);
  });
  await ear.query("notify guard_end");
  await end;
  return heard.length - 1;
}

test("workers that sleep for a minute wake nobody", async () => {
  expect(await wakeUpsOf(() => workers.pass(60_000))).toBe(0);
});

test("a job for three sleeping workers wakes two of them at most", async () => {
  const wakeUps = await wakeUpsOf(async () => {
    for (let add = 0; add < 20; add += 1) {
      const { id } = await client.add(oneStage, payload);
      await client.result(id, { timeoutMs: 10_000 });
    }
  });
  expect(wakeUps).toBeGreaterThanOrEqual(20);
  expect(wakeUps).toBeLessThanOrEqual(40);
});

test("1,000 jobs added at once wake each sleeping worker once", async () => {
  const wakeUps = await wakeUpsOf(() => client.addMany(oneStage, jobs(1_000)));
  expect(wakeUps).toBeLessThanOrEqual(3);
});
