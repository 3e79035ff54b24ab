import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await db.value("set_schedule", {
    p_name: "nightly",
    p_pipeline: "orders",
    p_cron: "0 3 * * *",
    p_now: noon,
  });
});

function due(at: Date) {
  return db.call("due_schedules", { p_pipelines: ["orders"], p_now: at });
}

test("a paused schedule is never due, and a resumed one counts from that moment", async () => {
  expect(await db.value("pause_schedule", { p_name: "nightly", p_now: noon })).toBe(true);
  expect(await db.value("pause_schedule", { p_name: "nightly", p_now: noon })).toBe(false);
  expect(await due(secondsAfter(noon, 1_000_000))).toEqual([]);
  expect(await db.call("list_schedules")).toMatchObject([{ paused_at: noon, next_at: null }]);

  const later = secondsAfter(noon, 3_600);
  expect(await db.value("resume_schedule", { p_name: "nightly", p_now: later })).toBe(true);
  expect(await db.value("resume_schedule", { p_name: "nightly", p_now: later })).toBe(false);
  expect(await due(later)).toMatchObject([{ name: "nightly", next_at: null, counts_from: later }]);
});

test("a removed schedule is gone, and removing it again says that there was none", async () => {
  expect(await db.value("remove_schedule", { p_name: "nightly" })).toBe(true);
  expect(await db.value("remove_schedule", { p_name: "nightly" })).toBe(false);
  expect(await due(secondsAfter(noon, 1_000_000))).toEqual([]);
});

test.each(["pause_schedule", "resume_schedule"])("%s of an unknown name is refused", async (name) => {
  await expect(db.value(name, { p_name: "nigthly" })).rejects.toMatchObject({
    code: "LS007",
    message: 'There is no schedule "nigthly".',
  });
});
