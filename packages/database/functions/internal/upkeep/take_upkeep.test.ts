import { noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
beforeEach(() => db.reset());

const take = (at: Date, task = "sweep") =>
  db.value("take_upkeep", { p_task: task, p_interval: "5 seconds", p_now: at });

test("a task is taken once in each interval", async () => {
  expect(await take(noon)).toBe(true);
  expect(await take(secondsAfter(noon, 4.9))).toBe(false);
  expect(await take(secondsAfter(noon, 5))).toBe(true);
});

test("each task has its own interval", async () => {
  await take(noon);
  expect(await take(noon, "fold")).toBe(true);
});

test("of many callers at one moment one takes it", async () => {
  const clients = await Promise.all(Array.from({ length: 8 }, () => db.connect()));
  const taken = await Promise.all(
    clients.map(async (client) => {
      const { rows } = await client.query("select lockstep.take_upkeep('sweep', '5 seconds', $1) as taken", [
        noon,
      ]);
      return rows[0].taken;
    }),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test("a caller that fails leaves the task to the next", async () => {
  const client = await db.connect();
  await client.query("begin");
  await client.query("select lockstep.take_upkeep('sweep', '5 seconds', $1)", [noon]);
  await client.query("rollback");
  expect(await take(noon)).toBe(true);
});

test("a task that nobody knows is taken by nobody", async () => {
  expect(await take(noon, "dusting")).toBe(false);
});
