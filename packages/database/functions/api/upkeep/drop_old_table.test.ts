import { JobFactory, runRetention, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

// Days far from today: the tables of the coming days that migrate made are not in the way.
const day = (number: number) => new Date(Date.UTC(2040, 0, number, 12));
const keepsAll = {
  p_keep_completed: "100 years",
  p_keep_unsuccessful: "100 years",
  p_keep_events: "100 years",
};

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  // Nothing is left of other tests' days.
  await runRetention(db, { p_now: new Date(Date.UTC(2100, 0, 1)) });
  await db.value("create_partitions", { p_days: 3, p_now: day(1) });
});

const oldTables = async () =>
  (
    await db.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'lockstep'::regnamespace and relkind = 'r' and relname ~ '_2040010[1-4]$' order by 1`,
    )
  ).map(({ name }) => name);
const daysOf = (kind: string) => [1, 2, 3, 4].map((number) => `${kind}_2040010${number}`);
const held = () => db.query("select name, tries from lockstep.held_tables order by 1");
const drop = (place = "") =>
  db.call<{ name: string; is_gone: boolean; place: string }>("drop_old_table", {
    p_place: place,
    p_now: day(60),
  });

async function readerOf(table: string) {
  const reader = await db.connect();
  onTestFinished(async () => {
    await reader.query("rollback");
  });
  await reader.query("begin");
  await reader.query(`select 1 from lockstep.${table}`);
  return reader;
}

describe("retention of whole days", () => {
  test("drops one table a call, in their order, and no row comes back when there is no other", async () => {
    const [first] = await drop();
    expect(first).toEqual({
      name: "completed_jobs_20400101",
      is_gone: true,
      place: "completed_jobs_20400101",
    });
    expect(await oldTables()).toHaveLength(15);
    expect(await drop("unsuccessful_jobs_20400104")).toEqual([]);
    expect(await runRetention(db, { p_now: day(60) })).toEqual([
      ...daysOf("completed_jobs").slice(1),
      ...daysOf("events"),
      ...daysOf("stream_chunks"),
      ...daysOf("unsuccessful_jobs"),
    ]);
    expect(await oldTables()).toEqual([]);
  });

  test("stops nobody who ends a job while it waits for a reader of an old day", async () => {
    const reader = await readerOf("unsuccessful_jobs_20400102");
    const id = await jobs.aPendingJob();
    const other = await db.connect();
    await other.query("set lock_timeout = '20ms'");
    // The day before can be dropped: that must be over, with all its locks, when this one is waited for.
    const pruner = await db.connect();
    await pruner.query("select from lockstep.drop_old_table(p_place => 'stream_chunks_~', p_now => $1)", [
      day(60),
    ]);
    const pruning = pruner.query(
      "select is_gone from lockstep.drop_old_table(p_place => 'stream_chunks_~', p_now => $1)",
      [day(60)],
    );
    await untilBlocked(db);
    expect((await other.query("select lockstep.cancel_job($1) as answer", [id])).rows).toEqual([
      { answer: "cancelled" },
    ]);
    expect((await pruning).rows).toEqual([{ is_gone: false }]);
    await reader.query("rollback");
  });

  test("leaves a table that a reader holds, drops those before and after it, and comes back for it", async () => {
    const reader = await readerOf("completed_jobs_20400102");
    await runRetention(db, { p_now: day(60) });
    expect(await oldTables()).toEqual(["completed_jobs_20400102"]);
    expect(await held()).toEqual([{ name: "completed_jobs_20400102", tries: 1 }]);
    await runRetention(db, { p_now: day(60) });
    expect(await held()).toEqual([{ name: "completed_jobs_20400102", tries: 2 }]);
    await reader.query("rollback");
    expect(await runRetention(db, { p_now: day(60) })).toEqual(["completed_jobs_20400102"]);
    expect(await held()).toEqual([]);
  });

  test("tries one table of a kind whose jobs an open transaction ends, and goes on with the other kinds", async () => {
    const writer = await db.connect();
    const id = await jobs.aPendingJob();
    await writer.query("begin");
    await writer.query("select lockstep.cancel_job($1)", [id]);
    await runRetention(db, { p_now: day(60) });
    expect(await oldTables()).toEqual(daysOf("unsuccessful_jobs"));
    expect(await held()).toEqual([{ name: "unsuccessful_jobs_20400101", tries: 1 }]);
    await writer.query("commit");
    expect(await runRetention(db, { p_now: day(60) })).toEqual(daysOf("unsuccessful_jobs"));
  });

  test("keeps what it has dropped when a later call fails", async () => {
    await drop();
    const pruner = await db.connect();
    await pruner.query("begin");
    await pruner.query("select from lockstep.drop_old_table(p_now => $1)", [day(60)]);
    await pruner.query("rollback");
    expect((await oldTables())[0]).toBe("completed_jobs_20400102");
  });

  test("by two at once is done by one, and the other goes on", async () => {
    const [one, other] = [await db.connect(), await db.connect()];
    await one.query("begin");
    await one.query("select from lockstep.drop_old_table(p_now => $1)", [day(60)]);
    const late = other.query("select name, is_gone from lockstep.drop_old_table(p_now => $1)", [day(60)]);
    await untilBlocked(db);
    await one.query("commit");
    const [row] = (await late).rows;
    expect(row?.name).toBe("completed_jobs_20400101");
    expect(await oldTables()).toEqual([
      ...daysOf("completed_jobs").slice(1),
      ...daysOf("events"),
      ...daysOf("stream_chunks"),
      ...daysOf("unsuccessful_jobs"),
    ]);
  });

  test("forgets that a table was held once it is to be kept for longer", async () => {
    const reader = await readerOf("completed_jobs_20400102");
    await runRetention(db, { p_now: day(60) });
    await reader.query("rollback");
    await runRetention(db, { ...keepsAll, p_now: secondsAfter(day(60), 60) });
    expect(await held()).toEqual([]);
    expect(await oldTables()).toEqual(["completed_jobs_20400102"]);
  });
});
