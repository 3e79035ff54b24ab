// In real time: a tick is due by PostgreSQL's clock, and only a real process can be killed.
import { testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";
import { endLease } from "../processes/end-lease.ts";
import { longLease } from "../processes/long-lease.ts";
import { startWorker, type WorkerProcess } from "../processes/worker-process.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";
import { verifyAfterEach } from "../stories/verify-after-each.ts";

const db = testDatabase();
verifyAfterEach(db);
beforeEach(() => db.reset());

const { errand } = storyPipelines();
const everySecond = { cron: "* * * * * *", payload: { do: "answer" } } as const;

interface Tick {
  schedule: string;
  atMs: number;
}

function firedBy(workers: readonly WorkerProcess[]): Tick[] {
  return workers.flatMap(({ events }) =>
    events.all("schedule.fired").map(({ schedule, tickAt }) => ({ schedule, atMs: tickAt.getTime() })),
  );
}

async function ticksOfJobs(schedule: string): Promise<number[]> {
  const rows = await db.query<{ tick: string }>(
    `select tags[2] as tick from lockstep.jobs where tags[1] = $1
     union all select tags[2] from lockstep.finished_jobs where tags[1] = $1`,
    [`schedule:${schedule}`],
  );
  return rows.map(({ tick }) => Date.parse(tick.slice("tick:".length))).sort((one, other) => one - other);
}

/** Every second from the first to the last, each once. */
function unbroken(ticks: readonly number[]): number[] {
  return ticks.map((_, index) => (ticks[0] ?? 0) + index * 1_000);
}

test("three workers add one job for each tick, also when one of them is killed between ticks", async () => {
  // Many at the same second: two workers then often try the same one at once.
  const names = Array.from({ length: 20 }, (_, index) => `beat-${index}`);
  const client = storyEngine(db);
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(db, { settings: longLease })));
  for (const name of names) await client.schedule(name, errand, everySecond);
  await until("ticks were fired", async () => firedBy(workers).length >= 3 * names.length);

  const [killed, ...left] = workers;
  killed?.kill("SIGKILL");
  await killed?.ended;
  if (killed !== undefined) await endLease(db, killed);
  const killedAtMs = Math.max(...firedBy(workers).map(({ atMs }) => atMs));
  await until("more were fired by the others", async () => {
    const later = firedBy(left).filter(({ atMs }) => atMs > killedAtMs);
    return later.length >= 3 * names.length;
  });
  for (const name of names) await client.removeSchedule(name);

  for (const name of names) {
    const ticks = await ticksOfJobs(name);
    expect(ticks).toEqual(unbroken(ticks));
    expect(ticks.length).toBeGreaterThanOrEqual(4);
  }
  const fired = firedBy(workers).map(({ schedule, atMs }) => `${schedule} ${atMs}`);
  expect(fired.length).toBe(new Set(fired).size);
  await until("their jobs are done", async () => (await db.query("select from lockstep.jobs")).length === 0);
});

test("a worker that comes after a time without one makes up for the ticks of the last minute", async () => {
  const client = storyEngine(db);
  const first = await startWorker(db);
  await client.schedule("beat", errand, everySecond);
  await until("a tick was fired", async () => firedBy([first]).length >= 1);
  first.kill("SIGTERM");
  await first.ended;

  // To start one takes longer than a second, so that some ticks have come meanwhile.
  const startedAtMs = Date.now();
  const second = await startWorker(db);
  await until("a tick of its own time was fired", async () =>
    firedBy([second]).some(({ atMs }) => atMs > startedAtMs + 1_000),
  );
  await client.removeSchedule("beat");
  const ticks = await ticksOfJobs("beat");
  expect(ticks).toEqual(unbroken(ticks));
  expect(second.events.all("schedule.missed")).toEqual([]);
});
