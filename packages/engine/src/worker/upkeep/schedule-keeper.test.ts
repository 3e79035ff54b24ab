import { ManualClock, recordEvents, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../clock.ts";
import { type EngineEventName, EngineEvents } from "../../events/engine-events.ts";
import { definePipeline } from "../../jobs/pipelines/pipeline.ts";
import { Database } from "../../store/connections/database.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import { ScheduleStore } from "../../store/steering/schedule-store.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { ScheduleKeeper, type ScheduleKeeperParts } from "./schedule-keeper.ts";

const db = testDatabase();
const database = new Database({
  target: targetAt(db.url),
  connections: 4,
  transactionPooler: false,
  applicationName: "lockstep tests: schedules",
});
afterAll(() => database.close(systemClock));
const store = new ScheduleStore(database);
// Half an hour away from now, so that no tick comes in the middle of a test.
const minute = (new Date().getUTCMinutes() + 30) % 60;
const orders = definePipeline("orders", { payload: z.object({ page: z.number() }) }).stage("run", () => null);

beforeEach(async () => {
  await db.reset();
  await db.call("define_pipeline", { p_name: "orders", p_stages: [{ name: "run" }] });
});

function setSchedule(options: Record<string, unknown> = {}): Promise<string> {
  return db.value("set_schedule", {
    p_name: "hourly",
    p_pipeline: "orders",
    p_cron: `${minute} * * * *`,
    p_payload: { page: 1 },
    ...options,
  });
}

async function schedule() {
  const [row] = await db.query<{ next_at: Date; last_at: Date; problem: string | null }>(
    "select * from lockstep.schedules",
  );
  return row;
}

async function ticksOfJobs(): Promise<string[]> {
  const rows = await db.query<{ tags: string[] }>("select tags from lockstep.jobs order by added_at");
  return rows.map(({ tags }) => tags[1]?.slice("tick:".length) ?? "");
}

function aKeeper(parts: Partial<ScheduleKeeperParts> = {}) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const told = recordEvents(events);
  const keeper = new ScheduleKeeper({
    pipelines: [orders],
    store,
    clock,
    events,
    random: () => 0.5,
    onFired: () => {},
    ...parts,
  });
  onTestFinished(() => keeper.stop());
  /** Lets it look again and again, until this holds. */
  const until = async (holds: () => boolean | Promise<boolean>) => {
    keeper.start();
    for (await clock.whenAsleep(); !(await holds()); await clock.whenAsleep()) await clock.advance(5_000);
  };
  const isTold = (name: EngineEventName) => () => told.all(name).length > 0;
  return { keeper, clock, told, until, isTold };
}

async function hasNext(): Promise<boolean> {
  return (await schedule())?.next_at !== null;
}

/** Makes the next tick one that came this long ago. */
async function tickCame(agoMs: number): Promise<Date> {
  const at = new Date(Date.now() - agoMs);
  await db.query("update lockstep.schedules set next_at = $1, look_at = $1", [at]);
  return at;
}

describe("a schedule that was set in SQL", () => {
  test("gets its next tick from a worker, and no job before it", async () => {
    await setSchedule();
    const { until, told } = aKeeper();
    await until(hasNext);
    const next = (await schedule())?.next_at;
    expect([next?.getUTCMinutes(), next?.getUTCSeconds()]).toEqual([minute, 0]);
    expect(next?.getTime()).toBeGreaterThan(Date.now());
    expect(await ticksOfJobs()).toEqual([]);
    expect(told.names()).toEqual([]);
  });

  test("loses no tick that came before a worker saw it", async () => {
    const passed = new Date(Date.now() - 10_000);
    await setSchedule({ p_cron: `${passed.getUTCSeconds()} ${passed.getUTCMinutes()} * * * *` });
    // As if it had been set just before.
    await db.query("update lockstep.schedules set counts_from = $1", [new Date(passed.getTime() - 1_000)]);
    const { until, isTold } = aKeeper();
    await until(isTold("schedule.fired"));
    expect(await ticksOfJobs()).toHaveLength(1);
  });

  test("of another worker's pipeline is left to that worker", async () => {
    await db.call("define_pipeline", { p_name: "other", p_stages: [{ name: "run" }] });
    await setSchedule({ p_pipeline: "other" });
    const { keeper, clock } = aKeeper();
    keeper.start();
    await clock.whenAsleep();
    expect(await hasNext()).toBe(false);
  });
});

describe("a tick", () => {
  test("that has come adds its job, tells so and moves on", async () => {
    await setSchedule();
    const tick = await tickCame(500);
    let looks = 0;
    const { until, told, isTold } = aKeeper({ onFired: () => looks++ });
    await until(isTold("schedule.fired"));
    const [job] = await db.query("select id, payload from lockstep.jobs");
    expect(job).toMatchObject({ payload: { page: 1 } });
    expect(told.all("schedule.fired")).toEqual([{ schedule: "hourly", tickAt: tick, jobId: job?.id }]);
    expect(looks).toBe(1);
    expect(await schedule()).toMatchObject({ last_at: tick });
    expect((await schedule())?.next_at.getUTCMinutes()).toBe(minute);
  });

  test("that comes soon is slept for exactly", async () => {
    await setSchedule();
    await tickCame(-4_000);
    const { keeper, clock, told } = aKeeper();
    keeper.start();
    await clock.whenAsleep();
    await db.timePasses(4_000);
    // Almost the four seconds have gone by since it looked, and none of the five until it would look by itself.
    await clock.advance(4_000);
    await told.next("schedule.fired");
  });

  test("is fired once by two workers, which both go on", async () => {
    await setSchedule();
    const [one, other] = [aKeeper(), aKeeper()];
    const ticks: Date[] = [];
    const fired = () => [...one.told.all("schedule.fired"), ...other.told.all("schedule.fired")];
    for (let round = 1; round <= 10; round += 1) {
      // Each later than the last, however short a round is: an earlier tick would be that of a job that is there.
      ticks.push(await tickCame(5_000 - 100 * round));
      await Promise.all([one, other].map(({ until }) => until(() => fired().length >= round)));
    }
    expect(
      fired()
        .map(({ tickAt }) => tickAt.getTime())
        .sort(),
    ).toEqual(ticks.map((tick) => tick.getTime()).sort());
    expect(await ticksOfJobs()).toHaveLength(10);
  });

  test("of a schedule that is changed after the worker saw it is not fired", async () => {
    await setSchedule();
    await tickCame(500);
    let isChanged = false;
    const changing: ScheduleKeeperParts["store"] = {
      due: async (...args) => {
        const schedules = await store.due(...args);
        if (!isChanged) await setSchedule({ p_cron: "0 0 1 1 *" });
        isChanged = true;
        return schedules;
      },
      fire: (...args) => store.fire(...args),
      noteProblem: (...args) => store.noteProblem(...args),
    };
    const { until, told } = aKeeper({ store: changing });
    await until(hasNext);
    expect((await schedule())?.next_at.toISOString()).toMatch(/-01-01T00:00:00.000Z$/);
    expect(told.names()).toEqual([]);
    expect(await ticksOfJobs()).toEqual([]);
  });

  test("of a paused schedule does not come, nor does one that was passed when it is resumed", async () => {
    await setSchedule({ p_missed: "run_once" });
    await tickCame(-1_000);
    await db.value("pause_schedule", { p_name: "hourly" });
    const { keeper, clock, told, until } = aKeeper();
    keeper.start();
    await clock.whenAsleep();
    await db.timePasses(36_000_000);
    await clock.advance(60_000);
    await clock.whenAsleep();
    await db.value("resume_schedule", { p_name: "hourly" });
    await until(hasNext);
    expect(told.names()).toEqual([]);
    expect(await ticksOfJobs()).toEqual([]);
  });
});

describe("after ten hours without a worker", () => {
  const hours = 10 * 3_600_000;

  test("skip goes on with the next tick, and tells what it left out", async () => {
    await setSchedule({ p_missed: "skip" });
    const from = await tickCame(hours);
    const { until, told, isTold } = aKeeper();
    await until(isTold("schedule.missed"));
    const next = (await schedule())?.next_at;
    expect(told.all("schedule.missed")).toEqual([{ schedule: "hourly", from, next }]);
    expect(next?.getTime()).toBeGreaterThan(Date.now());
    expect(await ticksOfJobs()).toEqual([]);
  });

  test("run_once adds one job, for the last tick of them", async () => {
    await setSchedule({ p_missed: "run_once" });
    await tickCame(hours);
    const { until, told, isTold } = aKeeper();
    await until(isTold("schedule.fired"));
    const { next_at: next, last_at: last } = (await schedule()) ?? {};
    expect(told.names()).toEqual(["schedule.missed", "schedule.fired"]);
    expect(Number(next) - Number(last)).toBe(3_600_000);
    expect(Number(next)).toBeGreaterThan(Date.now());
    expect(await ticksOfJobs()).toEqual([last?.toISOString()]);
  });
});

describe("a problem is noted, told once, and gone when it is mended:", () => {
  test.each([
    ["a pattern nobody can read", { p_cron: "every hour" }, /"every hour" cannot be used/],
    ["a pattern that never comes", { p_cron: "0 0 31 2 *" }, /never comes/],
    ["a zone that only PostgreSQL knows", { p_time_zone: "Factory" }, /no time zone "Factory"/],
    ["a payload that the pipeline refuses", { p_payload: { page: "one" } }, /payload is not valid: \/page/],
  ])("%s", async (_what, wrong, sentence) => {
    await setSchedule(wrong);
    const { until, told, isTold } = aKeeper();
    await until(isTold("schedule.problem"));
    expect((await schedule())?.problem).toMatch(sentence);
    await db.timePasses(61_000);
    await until(async () => {
      const [row] = await db.query<{ is_later: boolean }>(
        "select look_at > now() as is_later from lockstep.schedules",
      );
      return row?.is_later === true;
    });
    expect(told.all("schedule.problem")).toEqual([
      { schedule: "hourly", problem: expect.stringMatching(sentence) },
    ]);
    await setSchedule();
    await until(hasNext);
    expect((await schedule())?.problem).toBeNull();
  });

  test("a job that the database refuses", async () => {
    await setSchedule();
    await tickCame(500);
    await db.query("update lockstep.schedules set tags = array_fill('t'::text, '{20}')");
    const { until, isTold } = aKeeper();
    await until(isTold("schedule.problem"));
    expect((await schedule())?.problem).toMatch(/22 tags/);
    expect(await ticksOfJobs()).toEqual([]);
  });

  test("a tick whose id somebody has taken, which has its job all the same", async () => {
    await setSchedule();
    await tickCame(500);
    const tick = (await schedule())?.next_at;
    const id = await db.value("tick_job_id", { p_name: "hourly", p_tick: tick });
    await db.call("add_job", { p_pipeline: "orders", p_id: id, p_tags: ["not", "its own"] });
    const { until, told, isTold } = aKeeper();
    await until(isTold("schedule.problem"));
    const [fired] = told.all("schedule.fired");
    expect(fired?.jobId).not.toBe(id);
    expect(told.all("schedule.problem")).toEqual([
      { schedule: "hourly", problem: expect.stringContaining(`under another id: ${fired?.jobId}`) },
    ]);
    expect(await ticksOfJobs()).toContain(tick?.toISOString());
  });

  test("a pipeline that is full, which another schedule does not wait for", async () => {
    await db.call("define_pipeline", {
      p_name: "full",
      p_stages: [{ name: "run" }],
      p_options: { maxPending: 1 },
    });
    await db.call("add_job", { p_pipeline: "full" });
    await setSchedule({ p_name: "refused", p_pipeline: "full" });
    await setSchedule({ p_name: "added" });
    await tickCame(500);
    const full = definePipeline("full").stage("run", () => null);
    const { until, told } = aKeeper({ pipelines: [orders, full] });
    await until(() => told.all("schedule.problem").length === 1 && told.all("schedule.fired").length === 1);
    expect(told.all("schedule.problem")).toMatchObject([{ schedule: "refused" }]);
    expect(told.all("schedule.fired")).toMatchObject([{ schedule: "added" }]);
  });
});

describe("the looks", () => {
  function countingStore(due: () => Promise<never[]>) {
    let count = 0;
    const counting: ScheduleKeeperParts["store"] = {
      due: () => {
        count += 1;
        return due();
      },
      fire: () => Promise.reject(new Error("nothing was due")),
      noteProblem: async () => {},
    };
    return { counting, looks: () => count };
  }

  test("are one every five seconds while nothing is due, and sooner when it is woken", async () => {
    const { counting, looks } = countingStore(async () => []);
    const { keeper, clock } = aKeeper({ store: counting });
    keeper.start();
    await clock.advance(60_000);
    expect(looks()).toBe(13);
    keeper.lookNow();
    await clock.advance(0);
    expect(looks()).toBe(14);
  });

  test("go on after an outage, which is left to the pool to tell", async () => {
    const { counting, looks } = countingStore(() =>
      Promise.reject(new DatabaseUnavailableError(new Error("gone"))),
    );
    const { keeper, clock, told } = aKeeper({ store: counting });
    keeper.start();
    await clock.advance(10_000);
    expect([looks(), told.names()]).toEqual([3, []]);
  });

  test("end with stop, which may come twice", async () => {
    const { counting, looks } = countingStore(async () => []);
    const { keeper, clock } = aKeeper({ store: counting });
    keeper.start();
    await keeper.stop();
    await keeper.stop();
    await clock.advance(60_000);
    expect(looks()).toBe(1);
  });
});

test("workers that see to the same schedules share the looking, and each still knows of every tick", async () => {
  const looks: number[] = [];
  const counted = {
    ...store,
    due: async (_pipelines: readonly string[], withinMs: number) => {
      looks.push(withinMs);
      return [];
    },
    fire: store.fire.bind(store),
    noteProblem: store.noteProblem.bind(store),
  };
  const { keeper, clock } = aKeeper({ store: counted });
  keeper.sharers = 3;
  keeper.start();
  await clock.advance(60_000);
  expect(looks).toEqual(new Array(5).fill(18_750));
  keeper.sharers = 100;
  await clock.advance(360_000);
  expect(looks.slice(-3)).toEqual(new Array(3).fill(150_000));
});
