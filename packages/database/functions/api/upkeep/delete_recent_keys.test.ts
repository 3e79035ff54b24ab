import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

const add = (seconds: number, dedup: object, job: object = {}) =>
  db.call("add_jobs", {
    p_jobs: [{ pipeline: "orders", dedupKey: "k", dedup, ...job }],
    p_now: at(seconds),
  });
const keys = async () =>
  (await db.query<{ mode: string }>("select mode from lockstep.recent_keys order by mode")).map(
    ({ mode }) => mode,
  );
const clean = (seconds: number, interval = "0") =>
  db.value("delete_recent_keys", { p_interval: interval, p_now: at(seconds) });

test("keys go when their time is over, and not before", async () => {
  await add(0, { forMs: 10_000 });
  await add(0, { throttleMs: 20_000 });
  expect(await clean(5)).toBe(0);
  expect(await keys()).toEqual(["for", "throttle"]);
  expect(await clean(11)).toBe(1);
  expect(await keys()).toEqual(["throttle"]);
});

test("the key of a debounced job stays while that waits, however long", async () => {
  const [first] = await add(0, { debounceMs: 1_000 });
  await clean(100_000);
  expect(await add(100_001, { debounceMs: 1_000 })).toEqual([{ ...first, created: false }]);
  await jobs.claimAs(await jobs.aWorker({ at: at(100_010) }), { at: at(100_010) });
  await clean(200_000);
  expect(await keys()).toEqual([]);
});

test("debounced adds are known for an hour", async () => {
  const id = randomUUID();
  await add(0, { debounceMs: 1_000 });
  await add(0, { debounceMs: 1_000 }, { id });
  await clean(3_599);
  expect(await db.query("select id from lockstep.debounced_adds")).toEqual([{ id }]);
  expect(await clean(3_601)).toBe(1);
  expect(await db.query("select id from lockstep.debounced_adds")).toEqual([]);
});

test("a call takes 5,000 at most, and one caller per interval", async () => {
  await db.query(
    `insert into lockstep.recent_keys
     select 1, '', 'for', n::text, gen_random_uuid(), $1, $1 from generate_series(1, 5001) n`,
    [noon],
  );
  expect(await clean(1, "1 hour")).toBe(5_000);
  expect(await clean(2, "1 hour")).toBe(0);
  expect(await clean(2)).toBe(1);
});
