import { noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();

beforeEach(() => db.reset());

const record = (user: string, action: string, target?: string, more: object = {}) =>
  db.value<string>("record_action", {
    p_user: user,
    p_action: action,
    p_target: target,
    p_now: noon,
    ...more,
  });
const list = (args: object = {}) => db.call<{ id: string }>("list_actions", { ...args });

test("an action is shown as it was recorded", async () => {
  const id = await record("ada", "jobs.cancel", "jobs/1", {
    p_outcome: "cancelled",
    p_request_id: "r-1",
    p_detail: { why: "twice" },
  });
  expect(await list()).toEqual([
    {
      id,
      at: noon,
      user_name: "ada",
      action: "jobs.cancel",
      target: "jobs/1",
      outcome: "cancelled",
      request_id: "r-1",
      detail: { why: "twice" },
    },
  ]);
});

test.each([
  ["no user", { p_user: "", p_action: "jobs.cancel" }],
  ["a user without end", { p_user: "x".repeat(256), p_action: "jobs.cancel" }],
  ["no action", { p_user: "ada", p_action: null }],
  ["an action that is no verb", { p_user: "ada", p_action: "cancel" }],
  ["a target without end", { p_user: "ada", p_action: "jobs.cancel", p_target: "x".repeat(601) }],
  ["a detail that is no object", { p_user: "ada", p_action: "jobs.cancel", p_detail: [1] }],
  ["a large detail", { p_user: "ada", p_action: "jobs.cancel", p_detail: { x: "x".repeat(8_192) } }],
])("%s is refused", async (_case, args) => {
  await expect(db.value("record_action", args)).rejects.toMatchObject({ code: "LS001" });
  expect(await list()).toEqual([]);
});

describe("the list", () => {
  test("has the newest first, page by page, of a user, of a target or of both", async () => {
    const ids: string[] = [];
    for (const [user, target] of [
      ["ada", "jobs/1"],
      ["bob", "jobs/1"],
      ["ada", "jobs/2"],
      ["ada", "jobs/1"],
    ] as const) {
      ids.push(await record(user, "jobs.retry", target));
    }
    const [first, second, third, fourth] = ids;
    const seen = async (args: object = {}) => (await list(args)).map(({ id }) => id);
    expect(await seen()).toEqual([fourth, third, second, first]);
    expect(await seen({ p_limit: 2 })).toEqual([fourth, third]);
    expect(await seen({ p_limit: 2, p_before: third })).toEqual([second, first]);
    expect(await seen({ p_user: "ada" })).toEqual([fourth, third, first]);
    expect(await seen({ p_target: "jobs/1" })).toEqual([fourth, second, first]);
    expect(await seen({ p_target: "jobs/1", p_user: "bob" })).toEqual([second]);
    await expect(list({ p_limit: 201 })).rejects.toMatchObject({ code: "LS001" });
  });

  test("reads as much as it shows, however long the history", async () => {
    await db.query(
      `insert into lockstep.recorded_actions (at, user_name, action, target, outcome)
       select now(), 'robot', 'jobs.add', 'pipelines/orders', 'added' from generate_series(1, 20000)`,
    );
    await record("ada", "jobs.cancel", "jobs/1");
    await db.query(
      `insert into lockstep.recorded_actions (at, user_name, action, target, outcome)
       select now(), 'robot', 'jobs.add', 'pipelines/orders', 'added' from generate_series(1, 20000)`,
    );
    await db.query("analyze lockstep.recorded_actions");
    const reader = await db.connect();
    for (const filter of ["p_user => 'ada'", "p_target => 'jobs/1'", "p_limit => 1"]) {
      await reader.query("begin");
      expect((await reader.query(`select * from lockstep.list_actions(${filter})`)).rowCount).toBe(1);
      expect(await rowsRead(reader), filter).toBeLessThan(10);
      await reader.query("rollback");
    }
  });
});

/** How many rows of the table and of its indexes this transaction has looked at. */
async function rowsRead(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select sum(pg_stat_get_xact_tuples_returned(c.oid)) as rows
     from pg_class c where c.relname like 'recorded_actions%'`,
  );
  return Number(rows[0]?.rows);
}

test("old actions and keys go in steps, by one caller per interval", async () => {
  const clean = (seconds: number, interval = "0") =>
    db.value("delete_old_actions", {
      p_keep: "100 seconds",
      p_interval: interval,
      p_now: secondsAfter(noon, seconds),
    });
  await db.query(
    `insert into lockstep.recorded_actions (at, user_name, action, target, outcome)
     select $1, 'ada', 'jobs.add', '', 'added' from generate_series(1, 5001)`,
    [noon],
  );
  await record("ada", "jobs.cancel", "jobs/1", { p_now: secondsAfter(noon, 60) });
  await db.value("keep_answer", {
    p_user: "ada",
    p_key: "k",
    p_request_hash: "h",
    p_answer: 1,
    p_keep: "110 seconds",
    p_now: noon,
  });
  expect(await clean(99)).toBe(0);
  expect(await clean(101, "1 hour")).toBe(0);
  expect(await clean(101)).toBe(5_000);
  expect(await clean(102)).toBe(1);
  expect(await list()).toMatchObject([{ action: "jobs.cancel" }]);
  expect(await db.query("select key from lockstep.idempotency_keys")).toEqual([{ key: "k" }]);
  expect(await clean(111)).toBe(1);
  expect(await db.query("select key from lockstep.idempotency_keys")).toEqual([]);
});
