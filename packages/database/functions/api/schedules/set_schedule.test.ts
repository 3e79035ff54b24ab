import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const nightly = {
  p_name: "nightly",
  p_pipeline: "orders",
  p_cron: "0 3 * * *",
  p_time_zone: "Europe/Berlin",
};

function set(changes: Record<string, unknown> = {}): Promise<string> {
  return db.value("set_schedule", { ...nightly, p_now: noon, ...changes });
}

async function stored() {
  const [row] = await db.query("select * from lockstep.schedules where name = 'nightly'");
  return row;
}

async function givenNextTick(at: Date): Promise<void> {
  const [due] = await db.call("due_schedules", { p_pipelines: ["orders"], p_now: noon });
  await db.call("fire_schedule", {
    p_name: "nightly",
    p_revision: due?.revision,
    p_due: null,
    p_tick: null,
    p_next: at,
    p_now: noon,
  });
}

describe("a schedule", () => {
  test("is created once, and unchanged when it is set again as it is", async () => {
    expect(await set({ p_tags: [] })).toBe("created");
    await givenNextTick(secondsAfter(noon, 3_600));
    const before = await stored();
    expect(await set({ p_now: secondsAfter(noon, 60) })).toBe("unchanged");
    expect(await stored()).toEqual(before);
  });

  test("keeps its next tick when only what it adds is changed", async () => {
    await set();
    await givenNextTick(secondsAfter(noon, 3_600));
    const { revision } = (await stored()) ?? {};
    expect(await set({ p_payload: { full: true }, p_priority: 3, p_missed: "run_once" })).toBe("changed");
    expect(await stored()).toMatchObject({
      payload: { full: true },
      priority: 3,
      missed: "run_once",
      next_at: secondsAfter(noon, 3_600),
      look_at: secondsAfter(noon, 3_600),
      counts_from: noon,
    });
    expect((await stored())?.revision).not.toBe(revision);
  });

  test.each([
    ["pattern", { p_cron: "0 4 * * *" }],
    ["time zone", { p_time_zone: "Asia/Kolkata" }],
  ])("begins its ticks anew when its %s is changed", async (_what, change) => {
    await set();
    await givenNextTick(secondsAfter(noon, 3_600));
    expect(await set({ ...change, p_now: secondsAfter(noon, 60) })).toBe("changed");
    expect(await stored()).toMatchObject({ next_at: null, counts_from: secondsAfter(noon, 60) });
    const due = await db.call("due_schedules", { p_pipelines: ["orders"], p_now: noon });
    expect(due).toMatchObject([{ name: "nightly", wait_ms: 0 }]);
  });

  test("stays paused when it is changed", async () => {
    await set();
    await db.value("pause_schedule", { p_name: "nightly", p_now: noon });
    expect(await set({ p_cron: "0 4 * * *" })).toBe("changed");
    expect(await stored()).toMatchObject({ paused_at: noon, look_at: null });
  });

  test("that two make at once is there once, and nobody gets an error", async () => {
    const [one, other] = [await db.connect(), await db.connect()];
    const text = "select lockstep.set_schedule('nightly', 'orders', '0 3 * * *') as answer";
    await one.query("begin");
    await one.query(text);
    const second = other.query(text);
    await one.query("commit");
    expect((await second).rows).toEqual([{ answer: "unchanged" }]);
    expect(await db.call("list_schedules")).toHaveLength(1);
  });
});

describe("refused with a sentence and without effect is", () => {
  test.each([
    ["an unknown pipeline", { p_pipeline: "ordres" }, "LS002", /There is no pipeline "ordres"/],
    ["a name with a slash", { p_name: "a/b" }, "LS001", /its name must be/],
    ["an unknown zone", { p_time_zone: "Europe/Berln" }, "LS001", /no time zone "Europe\/Berln"/],
    ["an offset for a zone", { p_time_zone: "FOO+3" }, "LS001", /no time zone "FOO\+3"/],
    ["an empty pattern", { p_cron: "" }, "LS001", /cron pattern must have/],
    ["an unknown policy", { p_missed: "all" }, "LS001", /skip or run_once/],
    ["a priority of 21", { p_priority: 21 }, "LS001", /from 1 to 20/],
    ["a payload over 256 KiB", { p_payload: "x".repeat(262_143) }, "LS001", /262145 bytes/],
    ["an empty owner", { p_owner: "" }, "LS001", /owner has 0 bytes/],
    ["an empty group key", { p_group_key: "" }, "LS001", /group key has 0 bytes/],
    ["too many tags", { p_tags: Array(19).fill("t") }, "LS001", /19 tags/],
  ])("%s", async (_what, change, code, message) => {
    await expect(set(change)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await db.call("list_schedules")).toEqual([]);
  });

  test("another zone that does not exist, for a schedule that is there", async () => {
    await set();
    await expect(set({ p_time_zone: "Mars/Olympus" })).rejects.toMatchObject({ code: "LS001" });
    expect(await stored()).toMatchObject({ time_zone: "Europe/Berlin" });
  });
});
