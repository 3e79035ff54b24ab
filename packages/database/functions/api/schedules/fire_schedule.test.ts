import { JobFactory, noon, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

const tick = secondsAfter(noon, 60);
const next = secondsAfter(noon, 120);

interface Due {
  name: string;
  revision: string;
  next_at: Date | null;
  wait_ms: number;
  now: Date;
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("other", ["read"]);
  await db.value("set_schedule", {
    p_name: "minutely",
    p_pipeline: "orders",
    p_cron: "* * * * *",
    p_payload: { all: true },
    p_priority: 4,
    p_owner: "ada",
    p_group_key: "mail",
    p_tags: ["blue"],
    p_now: noon,
  });
});

async function dueAt(at: Date, within = "0"): Promise<Due | undefined> {
  const [due] = await db.call<Due>("due_schedules", {
    p_pipelines: ["orders"],
    p_within: within,
    p_now: at,
  });
  return due;
}

async function fire(changes: Record<string, unknown> = {}) {
  const [fired] = await db.call("fire_schedule", {
    p_name: "minutely",
    p_revision: (await dueAt(secondsAfter(noon, 1_000)))?.revision,
    p_due: tick,
    p_tick: tick,
    p_next: next,
    p_now: tick,
    ...changes,
  });
  return fired;
}

const fillIn = () => fire({ p_due: null, p_tick: null, p_next: tick, p_now: noon });

async function jobsOfSchedule() {
  return await db.call<{ id: string; tags: string[]; priority: number; owner: string }>("list_jobs", {
    p_filter: { tag: "schedule:minutely" },
  });
}

describe("a tick", () => {
  test("adds one job that says where it comes from, and moves the schedule on", async () => {
    expect(await fillIn()).toEqual({ answer: "moved", job_id: null, problem: null });
    expect(await jobsOfSchedule()).toEqual([]);
    const fired = await fire();
    expect(fired).toMatchObject({ answer: "fired" });
    expect(await jobsOfSchedule()).toMatchObject([
      {
        id: fired?.job_id,
        priority: 4,
        owner: "ada",
        tags: ["schedule:minutely", "tick:2026-03-02T12:01:00.000Z", "blue"],
      },
    ]);
    expect((await jobs.read(String(fired?.job_id))).payload).toEqual({ all: true });
    expect(await db.query("select group_key from lockstep.jobs")).toEqual([{ group_key: "mail" }]);
    expect(await db.call("list_schedules", { p_now: tick })).toMatchObject([
      { group_key: "mail", next_at: next, last_at: tick, last_job_id: fired?.job_id, problem: null },
    ]);
  });

  test("that was fired already is told as taken", async () => {
    await fillIn();
    await fire();
    expect(await fire()).toEqual({ answer: "taken", job_id: null, problem: null });
    expect(await jobsOfSchedule()).toHaveLength(1);
  });

  test("has one job also when its schedule was removed and made anew", async () => {
    await fillIn();
    const first = await fire();
    await db.value("remove_schedule", { p_name: "minutely" });
    await db.value("set_schedule", {
      p_name: "minutely",
      p_pipeline: "orders",
      p_cron: "* * * * *",
      p_now: noon,
    });
    await fillIn();
    expect(await fire()).toEqual({ answer: "fired", job_id: first?.job_id, problem: null });
    expect(await jobsOfSchedule()).toHaveLength(1);
  });

  test("cannot be told beforehand by its id: that has 74 bits of a secret in it", async () => {
    const idOf = () => db.value("tick_job_id", { p_name: "minutely", p_tick: tick });
    const id = await idOf();
    expect(await idOf()).toBe(id);
    await db.query("update lockstep.tick_secret set secret = gen_random_uuid()");
    const other = await idOf();
    expect(other).not.toBe(id);
    expect(String(other).slice(0, 15)).toBe(String(id).slice(0, 15));
  });

  test.each([
    ["another pipeline", { pipeline: "other", owner: "ada" }],
    ["another owner", { pipeline: "orders" }],
    ["its own pipeline and owner", { pipeline: "orders", owner: "ada" }],
  ])(
    "whose id was taken by a job of %s has a job all the same, and the schedule says so",
    async (_of, job) => {
      await fillIn();
      const id = String(await db.value("tick_job_id", { p_name: "minutely", p_tick: tick }));
      await db.call("add_jobs", { p_jobs: [{ ...job, id, payload: "evil" }] });
      const fired = await fire();
      expect(fired?.answer).toBe("fired");
      expect(fired?.job_id).not.toBe(id);
      expect(fired?.problem).toBe(
        `The id for the tick at 2026-03-02T12:01:00.000Z is taken by a job that is not of this schedule. The job of the tick was added under another id: ${fired?.job_id}.`,
      );
      expect(await jobsOfSchedule()).toMatchObject([{ id: fired?.job_id, owner: "ada" }]);
      expect((await jobs.read(String(fired?.job_id))).payload).toEqual({ all: true });
      const [schedule] = await db.call("list_schedules", { p_now: tick });
      expect(schedule).toMatchObject({ last_job_id: fired?.job_id, problem: fired?.problem });
    },
  );

  test("whose id is taken while it is fired fails as something to send again, and has its job then", async () => {
    await fillIn();
    const id = String(await db.value("tick_job_id", { p_name: "minutely", p_tick: tick }));
    const { revision } = (await dueAt(tick)) ?? {};
    const [thief, keeper] = [await db.connect(), await db.connect()];
    await thief.query("begin");
    await thief.query("select lockstep.add_job('orders', '\"evil\"', p_owner => 'ada', p_id => $1)", [id]);
    const firing = keeper.query("select * from lockstep.fire_schedule('minutely', $1, $2, $2, $3, $2)", [
      revision,
      tick,
      next,
    ]);
    const failed = expect(firing).rejects.toMatchObject({ code: "40001" });
    await untilBlocked(db);
    await thief.query("commit");
    await failed;
    // PostgreSQL tells of an error before it lets go of the locks; after its next answer it has.
    await keeper.query("select");
    expect(await jobsOfSchedule()).toEqual([]);
    const fired = await fire();
    expect(fired).toMatchObject({ answer: "fired", problem: expect.stringContaining("is taken by a job") });
    expect(await jobsOfSchedule()).toMatchObject([{ id: fired?.job_id }]);
  });

  test("is not due a moment too early, whatever the worker's clock says", async () => {
    await fillIn();
    expect(await fire({ p_now: secondsAfter(tick, -0.001) })).toEqual({
      answer: "not_due",
      job_id: null,
      problem: null,
    });
    expect(await jobsOfSchedule()).toEqual([]);
  });

  test("of a schedule that was changed, paused or removed meanwhile adds nothing", async () => {
    await fillIn();
    const { revision } = (await dueAt(tick)) ?? {};
    await db.value("set_schedule", {
      p_name: "minutely",
      p_pipeline: "orders",
      p_cron: "* * * * *",
      p_payload: { all: false },
      p_now: noon,
    });
    expect(await fire({ p_revision: revision })).toMatchObject({ answer: "taken" });
    await db.value("pause_schedule", { p_name: "minutely" });
    expect(await fire({ p_revision: revision })).toMatchObject({ answer: "taken" });
    await db.value("remove_schedule", { p_name: "minutely" });
    expect(await fire({ p_revision: revision })).toMatchObject({ answer: "taken" });
    expect(await jobsOfSchedule()).toEqual([]);
  });

  test("is fired by one of two who try at once, and the other need not wait", async () => {
    await fillIn();
    const { revision } = (await dueAt(tick)) ?? {};
    const [one, other] = [await db.connect(), await db.connect()];
    const text =
      "select answer from lockstep.fire_schedule('minutely', $1, p_due => $2, p_tick => $2, p_next => $3, p_now => $2)";
    await one.query("begin");
    const first = await one.query(text, [revision, tick, next]);
    const second = await other.query(text, [revision, tick, next]);
    await one.query("commit");
    expect([first.rows, second.rows]).toEqual([[{ answer: "fired" }], [{ answer: "taken" }]]);
    expect(await jobsOfSchedule()).toHaveLength(1);
  });

  test("whose job cannot be added leaves the schedule where it was", async () => {
    await fillIn();
    await db.query("update lockstep.schedules set tags = array_fill('t'::text, '{20}')");
    await expect(fire()).rejects.toMatchObject({ code: "LS001" });
    expect(await dueAt(tick)).toMatchObject({ next_at: tick });
  });

  test("must be followed by a later one", async () => {
    await fillIn();
    await expect(fire({ p_next: tick })).rejects.toMatchObject({ code: "LS001" });
    await expect(fire({ p_next: null })).rejects.toMatchObject({ code: "LS001" });
  });
});

describe("due_schedules", () => {
  test("shows what comes within the time asked for, with how long that is, to workers of the pipeline", async () => {
    await fillIn();
    expect(await dueAt(secondsAfter(tick, -5.5), "5 seconds")).toBeUndefined();
    const soon = secondsAfter(tick, -4.5);
    expect(await dueAt(soon, "5 seconds")).toMatchObject({ name: "minutely", wait_ms: 4_500, now: soon });
    expect(await dueAt(secondsAfter(tick, 3))).toMatchObject({ wait_ms: 0 });
    expect(await db.call("due_schedules", { p_pipelines: ["other"], p_now: tick })).toEqual([]);
  });
});

describe("a problem", () => {
  test("is shown, and looked at again after a minute; a tick that is fired ends it", async () => {
    await fillIn();
    const { revision } = (await dueAt(tick)) ?? {};
    const note = { p_name: "minutely", p_revision: revision, p_problem: "The payload is not valid." };
    expect(await db.value("note_schedule_problem", { ...note, p_now: tick })).toBe(true);
    expect(await db.call("list_schedules")).toMatchObject([{ problem: "The payload is not valid." }]);
    expect(await dueAt(secondsAfter(tick, 59))).toBeUndefined();
    expect(await dueAt(secondsAfter(tick, 60))).toMatchObject({ next_at: tick });
    await fire();
    expect(await db.call("list_schedules", { p_now: tick })).toMatchObject([{ problem: null }]);
  });

  test("of a schedule that was changed meanwhile is not noted", async () => {
    const { revision } = (await dueAt(noon)) ?? {};
    await db.value("pause_schedule", { p_name: "minutely" });
    await db.value("resume_schedule", { p_name: "minutely" });
    const note = { p_name: "minutely", p_revision: revision, p_problem: "Old." };
    expect(await db.value("note_schedule_problem", note)).toBe(false);
  });

  test("is also that no live worker has the pipeline", async () => {
    await fillIn();
    const late = secondsAfter(tick, 61);
    const problemAt = async () => (await db.call("list_schedules", { p_now: late }))[0]?.problem;
    expect(await problemAt()).toMatch(/No live worker has pipeline "orders"/);
    await jobs.aWorker({ serves: ["orders/read"], at: late });
    expect(await problemAt()).toBeNull();
  });
});

test("the schedules are listed by name in pages, all or those of a pipeline", async () => {
  for (const name of ["b", "a", "c"]) {
    await db.value("set_schedule", { p_name: name, p_pipeline: "other", p_cron: "@daily" });
  }
  const names = async (args: object) =>
    (await db.call<{ name: string }>("list_schedules", { ...args })).map(({ name }) => name);
  expect(await names({})).toEqual(["a", "b", "c", "minutely"]);
  expect(await names({ p_pipeline: "other", p_limit: 2 })).toEqual(["a", "b"]);
  expect(await names({ p_pipeline: "other", p_after: "b" })).toEqual(["c"]);
  await expect(names({ p_limit: 0 })).rejects.toMatchObject({ code: "LS001" });
});
