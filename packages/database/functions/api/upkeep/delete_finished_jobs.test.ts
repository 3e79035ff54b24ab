import { JobFactory, runRetention, secondsAfter, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

// Days far from today: the tables of the coming days that migrate made are not in the way.
const day = (number: number) => new Date(Date.UTC(2040, 0, number, 12));
const keepsAll = { p_keep_completed: "100 years", p_keep_unsuccessful: "100 years" };

beforeAll(async () => {
  await db.call("delete_finished_jobs", { ...keepsAll, p_now: day(1) });
});

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

async function finish(how: "completed" | "failed" | "cancelled", at: Date): Promise<string> {
  const worker = await jobs.aWorker({ at });
  if (how === "failed") return (await jobs.aFailedJob({ by: worker, at })).id;
  if (how === "cancelled") {
    const id = await jobs.aPendingJob({ at });
    await db.value("cancel_job", { p_id: id, p_now: at });
    return id;
  }
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, at });
  await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: at });
  return id;
}

async function tableOf(id: string): Promise<unknown> {
  const [row] = await db.query(
    "select c.relname as name from lockstep.finished_jobs f join pg_class c on c.oid = f.tableoid where f.id = $1",
    [id],
  );
  return row?.name;
}

const exists = async (id: string) => (await db.call("get_job", { p_id: id })).length === 1;
const tables = async () =>
  (
    await db.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'lockstep'::regnamespace and relkind = 'r' and relname ~ '_2040[0-9]{4}$' order by 1`,
    )
  ).map(({ name }) => name);

describe("a finished job", () => {
  test("lands in the table of its day and its kind", async () => {
    expect(await tableOf(await finish("completed", day(2)))).toBe("completed_jobs_20400102");
    expect(await tableOf(await finish("failed", day(3)))).toBe("unsuccessful_jobs_20400103");
    expect(await tableOf(await finish("cancelled", day(3)))).toBe("unsuccessful_jobs_20400103");
  });

  test("belongs to the day that UTC says, to the last moment", async () => {
    const lastMoment = new Date(Date.UTC(2040, 0, 3, 0, 0, 0, -1));
    expect(await tableOf(await finish("completed", lastMoment))).toBe("completed_jobs_20400102");
    expect(await tableOf(await finish("completed", secondsAfter(lastMoment, 0.001)))).toBe(
      "completed_jobs_20400103",
    );
  });

  test("of a day without a table is kept, found, listed, retried and pruned all the same", async () => {
    const completed = await finish("completed", new Date("2039-06-01T12:00:00Z"));
    const failed = await finish("failed", new Date("2039-06-01T12:00:00Z"));
    expect(await tableOf(completed)).toBe("completed_jobs_default");
    expect(await jobs.read(completed)).toMatchObject({ status: "completed" });
    expect(await db.call("list_jobs")).toHaveLength(2);
    expect(await db.call("retry_job", { p_id: failed })).toMatchObject([{ answer: "applied" }]);
    await db.value("cancel_job", { p_id: failed, p_now: new Date("2039-06-01T13:00:00Z") });

    await runRetention(db, { p_now: new Date("2039-06-09T00:00:00Z") });
    expect([await exists(completed), await exists(failed)]).toEqual([false, true]);
    await runRetention(db, { p_now: new Date("2039-07-02T00:00:00Z") });
    expect(await exists(failed)).toBe(false);
  });
});

describe("retention", () => {
  test("drops completed jobs after 7 days and the others after 30, whole days at a time", async () => {
    const completed = await finish("completed", day(2));
    const failed = await finish("failed", day(2));
    const prune = (at: Date) => runRetention(db, { p_now: at });

    await prune(new Date(Date.UTC(2040, 0, 10)));
    expect(await exists(completed)).toBe(true);
    expect(await prune(new Date(Date.UTC(2040, 0, 10, 0, 0, 1)))).toContain("completed_jobs_20400102");
    expect([await exists(completed), await exists(failed)]).toEqual([false, true]);
    expect(await tables()).not.toContain("completed_jobs_20400102");

    await prune(new Date(Date.UTC(2040, 1, 2, 0, 0, 1)));
    expect(await exists(failed)).toBe(false);
    expect(await tables()).not.toContain("unsuccessful_jobs_20400102");
  });

  test("keeps as long as it is told to", async () => {
    const at = new Date(Date.UTC(2040, 2, 1, 12));
    await db.value("delete_finished_jobs", { ...keepsAll, p_now: at });
    const id = await finish("completed", at);
    const later = new Date(Date.UTC(2040, 2, 20));
    await runRetention(db, { p_keep_completed: "30 days", p_now: later });
    expect(await exists(id)).toBe(true);
    await runRetention(db, { p_keep_completed: "1 day", p_now: later });
    expect(await exists(id)).toBe(false);
  });

  test("makes the tables of today and the coming seven days, once", async () => {
    const at = new Date(Date.UTC(2040, 4, 1, 12));
    await db.value("delete_finished_jobs", { ...keepsAll, p_now: at });
    const made = (await tables()).filter((name) => name.includes("_204005"));
    expect(made).toHaveLength(32);
    expect(made).toEqual(expect.arrayContaining(["completed_jobs_20400508", "events_20400508"]));
    expect(await db.value("create_partitions", { p_now: at })).toBe(0);
  });

  test("makes no table for a day that has jobs in the default one, and does not fail", async () => {
    const at = new Date(Date.UTC(2040, 6, 1, 12));
    const id = await finish("completed", at);
    await db.value("create_partitions", { p_days: 1, p_now: at });
    expect(await tables()).toContain("unsuccessful_jobs_20400701");
    expect(await tables()).not.toContain("completed_jobs_20400701");
    expect(await tables()).toContain("completed_jobs_20400702");
    expect(await exists(id)).toBe(true);
  });

  test.each(["stage_history", "stage_history_by_hour"])("forgets %s after thirty days", async (table) => {
    await jobs.aPendingJob({ at: day(2) });
    await db.value("fold_counters", { p_now: day(2) });
    await db.value("delete_finished_jobs", { ...keepsAll, p_now: secondsAfter(day(2), 30 * 86_400) });
    expect(await db.query(`select 1 from lockstep.${table}`)).toHaveLength(1);
    await db.value("delete_finished_jobs", { ...keepsAll, p_now: secondsAfter(day(2), 30 * 86_400 + 1) });
    expect(await db.query(`select 1 from lockstep.${table}`)).toEqual([]);
  });

  test("is done by one of the fleet in each interval", async () => {
    const at = new Date(Date.UTC(2041, 0, 1, 12));
    const prune = (seconds: number) =>
      db.value<number>("delete_finished_jobs", { p_interval: "1 hour", p_now: secondsAfter(at, seconds) });
    await prune(0);
    const before = await tables();
    expect(await prune(3_599)).toBe(0);
    expect(await tables()).toEqual(before);
  });

  test("deletes at most 5,000 rows of a kind in a call, and says so", async () => {
    await db.query(
      `insert into lockstep.stage_history (minute, stage_id, moved_from, moved_to, wait_bucket, run_bucket, jobs)
       select '2030-01-01'::timestamptz + n * interval '1 minute', 1, '', 'pending', 0, 0, 1 from generate_series(1, 5001) n`,
    );
    const prune = () => db.value<number>("delete_finished_jobs", { ...keepsAll, p_now: day(2) });
    expect(await prune()).toBe(5_000);
    expect(await prune()).toBe(1);
    expect(await db.query("select 1 from lockstep.stage_history")).toEqual([]);
  });
});

describe("the tables of the coming days", () => {
  const at = new Date(Date.UTC(2040, 9, 1, 12));
  const made = async () => (await tables()).filter((name) => name.includes("_204010"));
  const make = "select lockstep.create_partitions(p_now => $1) as made";

  test("are made once by two who make them at the same time, and neither fails", async () => {
    const [migrate, retention] = [await db.connect(), await db.connect()];
    await migrate.query("begin");
    await migrate.query(make, [at]);
    const making = retention.query(make, [at]);
    await untilBlocked(db);
    await migrate.query("commit");
    await making;
    expect(await made()).toHaveLength(32);
  });

  test("are left for the next time where a reader holds the default one, whose readers do not wait for long", async () => {
    const later = new Date(Date.UTC(2040, 9, 20, 12));
    const reader = await db.connect();
    await reader.query("begin");
    await reader.query("select 1 from lockstep.completed_jobs_default");
    const maker = await db.connect();
    const making = maker.query(make, [later]);
    await untilBlocked(db);
    // It waits behind the maker, whose patience is short.
    await db.query("select 1 from lockstep.completed_jobs_default");
    expect((await making).rows).toEqual([{ made: 24 }]);
    await reader.query("rollback");
    expect(await db.value("create_partitions", { p_now: later })).toBe(8);
  });
});
