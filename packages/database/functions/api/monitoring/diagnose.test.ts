import { JobFactory, runRetention, testDatabase } from "@lockstep/test-support";
import { afterEach, beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

interface Finding {
  check_name: string;
  severity: "ok" | "warn" | "bad";
  finding: string;
  advice: string | null;
  repair_sql: string | null;
}

const undo: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function findings(check: string, args: Record<string, unknown> = {}): Promise<Finding[]> {
  return (await db.call<Finding>("diagnose", args)).filter(({ check_name }) => check_name === check);
}

function minutesFromNow(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000);
}

function dayText(days: number): string {
  return minutesFromNow(days * 24 * 60)
    .toISOString()
    .slice(0, 10)
    .replaceAll("-", "");
}

const inTenMinutes = () => ({ p_now: minutesFromNow(10) });

test("what is well is told too, and every trouble comes with advice", async () => {
  const rows = await db.call<Finding>("diagnose");
  // The server of the tests keeps nothing through a crash, and says so.
  const careless = ["fsync", "full_page_writes", "synchronous_commit"];
  expect(
    rows
      .filter(({ severity }) => severity !== "ok")
      .map((row) => row.check_name)
      .sort(),
  ).toEqual(careless);
  for (const { severity, advice } of rows) expect(advice === null).toBe(severity === "ok");
  expect(await findings("fsync")).toEqual([
    {
      check_name: "fsync",
      severity: "bad",
      finding: "fsync is off: if the machine stops, the whole database may be lost",
      advice: "Switch it on wherever the jobs matter.",
      repair_sql: "alter system set fsync = 'on'; select pg_reload_conf();",
    },
  ]);
});

test("a setting of the database is mended where it was made", async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.query(`alter database ${name} set track_counts = off`);
  await db.query(`alter database ${name} set statement_timeout = 2000`);
  const other = await db.connect();
  undo.push(() => db.query(`alter database ${name} reset all`));
  const { rows } = await other.query("select * from lockstep.diagnose() where severity <> 'ok'");
  const mended = (check: string) => rows.find(({ check_name }) => check_name === check)?.repair_sql;
  expect(mended("track_counts")).toBe(`alter database ${name} reset track_counts;`);
  expect(mended("statement timeout")).toBe(`alter database ${name} reset statement_timeout;`);
  await db.query(mended("statement timeout"));
  expect(await findings("statement timeout")).toEqual([]);
});

test("a setting of the user in this database is mended there", async () => {
  const name = new URL(db.url).pathname.slice(1);
  const user = decodeURIComponent(new URL(db.url).username);
  await db.query(`alter role ${user} in database ${name} set default_transaction_isolation = 'serializable'`);
  undo.push(() => db.query(`alter role ${user} in database ${name} reset all`));
  const foundNow = async () => {
    const other = await db.connect();
    const { rows } = await other.query<Finding>("select * from lockstep.diagnose()");
    return rows.find(({ check_name }) => check_name === "default_transaction_isolation");
  };
  const found = await foundNow();
  expect(found).toMatchObject({
    severity: "warn",
    repair_sql: `alter role ${user} in database ${name} reset default_transaction_isolation;`,
  });
  await db.query(found?.repair_sql ?? "");
  expect(await foundNow()).toMatchObject({ severity: "ok" });
});

test.each([
  ["9999", 1],
  ["10000", 0],
  ["0", 0],
  ["5s", 1],
  ["0.1 min", 1],
  ["900us", 1],
  ["10s", 0],
  ["1h", 0],
])("a statement timeout of %s is told of if it is short: %i", async (timeout, found) => {
  const name = new URL(db.url).pathname.slice(1);
  await db.query(`alter database ${name} set statement_timeout = '${timeout}'`);
  undo.push(() => db.query(`alter database ${name} reset all`));
  expect(await findings("statement timeout")).toHaveLength(found);
});

test("a session that holds a snapshot is named, with the SQL that ends it", async () => {
  const holder = await db.connect();
  await holder.query("begin isolation level repeatable read");
  await holder.query("select 1");
  undo.push(() => holder.query("rollback"));
  const [{ pid } = { pid: 0 }] = (await holder.query("select pg_backend_pid() as pid")).rows;

  expect(await findings("xmin horizon")).toMatchObject([{ severity: "ok" }]);
  expect(await findings("xmin horizon", inTenMinutes())).toMatchObject([
    {
      severity: "warn",
      finding: expect.stringMatching(
        new RegExp(
          `^session ${pid} \\(lockstep tests: extra, user \\w+, idle in transaction\\) holds back vacuum`,
        ),
      ),
      repair_sql: `select pg_terminate_backend(${pid});`,
    },
  ]);
  expect(await findings("xmin horizon", { p_now: minutesFromNow(70) })).toMatchObject([{ severity: "bad" }]);
});

test("a replication slot without a reader is named", async () => {
  await db.query("select pg_create_physical_replication_slot('lockstep_left_behind')");
  undo.push(() =>
    db.query(
      "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'lockstep_left_behind'",
    ),
  );
  const [slot] = await findings("xmin horizon");
  expect(slot).toMatchObject({
    severity: "warn",
    finding: expect.stringContaining("lockstep_left_behind is inactive"),
  });
  await db.query(slot?.repair_sql ?? "");
  expect(await findings("xmin horizon")).toMatchObject([{ severity: "ok" }]);
});

test("a user who cannot see the sessions of others is told", async () => {
  await db.query("create role lockstep_blind nologin");
  undo.push(() => db.query("drop role lockstep_blind"));
  await db.query("alter function lockstep.diagnose_horizon owner to lockstep_blind");
  undo.push(() => db.query("alter function lockstep.diagnose_horizon owner to current_user"));
  expect(await findings("sessions of others")).toMatchObject([
    { severity: "warn", repair_sql: "grant pg_read_all_stats to lockstep_blind;" },
  ]);
});

test("autovacuum that is off for one table is found", async () => {
  await db.query("alter table lockstep.jobs set (autovacuum_enabled = false)");
  const [found] = await findings("autovacuum of tables");
  expect(found).toMatchObject({ severity: "bad", finding: "autovacuum is switched off for lockstep.jobs" });
  await db.query(found?.repair_sql ?? "");
  expect(await findings("autovacuum of tables")).toMatchObject([{ severity: "ok" }]);
});

test("dead rows that nobody clears are found", async () => {
  for (let index = 0; index < 12; index += 1) await jobs.aPendingJob();
  await db.query("delete from lockstep.jobs");
  await db.query("select pg_stat_force_next_flush()").catch(() => {});
  // Before PostgreSQL 15 the counts come a moment later, by way of another process.
  await expect
    .poll(() => findings("dead rows", { p_dead_rows: 10 }), { timeout: 5_000 })
    .toMatchObject([
      {
        severity: "warn",
        finding: expect.stringMatching(/^lockstep\.jobs has \d+ dead rows beside 0 live ones/),
        repair_sql: "vacuum (analyze) lockstep.jobs;",
      },
    ]);
  expect(await findings("dead rows")).toMatchObject([{ severity: "ok" }]);
});

test("an index far larger than its entries is found", async () => {
  await jobs.aPendingJob();
  const found = await findings("index size", { p_index_bytes: 8_192 });
  expect(found.map(({ repair_sql }) => repair_sql)).toContain(
    "reindex index concurrently lockstep.jobs_pkey;",
  );
  expect(await findings("index size")).toMatchObject([{ severity: "ok" }]);
});

test("an invalid index is found, and built anew by what is printed", async () => {
  await db.query(
    "update pg_index set indisvalid = false where indexrelid = 'lockstep.claimable_in_order'::regclass",
  );
  const [found] = await findings("invalid indexes");
  expect(found).toMatchObject({
    severity: "bad",
    repair_sql: "reindex index concurrently lockstep.claimable_in_order;",
  });
  await db.query(found?.repair_sql ?? "");
  expect(await findings("invalid indexes")).toMatchObject([{ severity: "ok" }]);
});

test("what a concurrent build left behind is dropped by what is printed, and the index itself stays", async () => {
  const holder = await db.connect();
  await holder.query("begin; lock table lockstep.jobs in row exclusive mode");
  const builder = await db.connect();
  await builder.query("set statement_timeout = 200");
  // It waits for the holder in vain, and leaves what it has begun.
  await expect(builder.query("reindex index concurrently lockstep.expiring")).rejects.toThrow();
  await holder.query("rollback");
  const [found] = await findings("invalid indexes");
  expect(found).toMatchObject({
    severity: "bad",
    advice: expect.stringContaining("drop this one"),
    repair_sql: "drop index concurrently lockstep.expiring_ccnew;",
  });
  await db.query(found?.repair_sql ?? "");
  expect(await findings("invalid indexes")).toMatchObject([{ severity: "ok" }]);
  expect(await db.query("select to_regclass('lockstep.expiring') as name")).toEqual([
    { name: "lockstep.expiring" },
  ]);
});

test("transaction ids that grow old are told of before PostgreSQL stops", async () => {
  const other = await db.connect();
  const [aged] = await (async () => {
    await other.query("begin");
    try {
      // Nobody else sees it, and it is taken back.
      await other.query(
        `update pg_database
         set datfrozenxid = (((pg_current_xact_id()::text::numeric + 4294967296 - 1300000000) % 4294967296)::text)::xid
         where datname = current_database()`,
      );
      return (await other.query("select * from lockstep.diagnose() where check_name = 'wraparound'")).rows;
    } finally {
      await other.query("rollback");
    }
  })();
  expect(aged).toMatchObject({ severity: "bad", repair_sql: "vacuum (freeze);" });
});

test("a day without tables is told of", async () => {
  const name = `events_${dayText(1)}`;
  await db.query(`drop table lockstep.${name}`);
  const [found] = await findings("partitions");
  expect(found).toMatchObject({
    severity: "warn",
    finding: expect.stringContaining(`lockstep.${name} for `),
  });
  await db.query(found?.repair_sql ?? "");
  expect(await findings("partitions")).toMatchObject([{ severity: "ok" }]);
});

test("a table that is past its time and that a session holds is told of, with who holds it", async () => {
  const later = minutesFromNow(60 * 24 * 60);
  expect(await findings("retention")).toMatchObject([{ severity: "ok" }]);
  await db.value("create_partitions");
  const holder = await db.connect();
  await holder.query("begin");
  await holder.query(`select 1 from lockstep.completed_jobs_${dayText(0)}`);
  const [{ pid } = { pid: 0 }] = (await holder.query("select pg_backend_pid() as pid")).rows;
  await runRetention(db, { p_keep_unsuccessful: "1 year", p_keep_events: "1 year", p_now: later });

  expect(await findings("retention", { p_now: later })).toMatchObject([
    {
      severity: "warn",
      finding: expect.stringMatching(
        new RegExp(
          `^retention has tried to drop the table lockstep\\.completed_jobs_${dayText(0)} since .* UTC, without success: held by session ${pid} \\(lockstep tests: extra, user \\w+, idle in transaction since`,
        ),
      ),
      repair_sql: `select pg_terminate_backend(${pid});`,
    },
  ]);
  const dayAfter = { p_now: new Date(later.getTime() + 25 * 3_600_000) };
  expect(await findings("retention", dayAfter)).toMatchObject([{ severity: "bad" }]);
  await holder.query("rollback");
  expect(await findings("retention", dayAfter)).toMatchObject([
    { finding: expect.stringContaining("the session that held it is gone"), repair_sql: null },
  ]);
  expect((await db.call("read_retention")).map(({ held_tables }) => held_tables)).toEqual([1, 0, 0, 0]);
  await runRetention(db, { p_keep_unsuccessful: "1 year", p_keep_events: "1 year", p_now: later });
  expect(await findings("retention")).toMatchObject([{ severity: "ok" }]);
  await db.value("create_partitions");
});

test("a table whose rows a publication cannot tell apart is told of, worse when there is one", async () => {
  expect(await findings("publications")).toMatchObject([{ severity: "ok" }]);
  const table = `completed_jobs_${dayText(0)}`;
  await db.query(`alter table lockstep.${table} replica identity default`);
  expect(await findings("publications")).toMatchObject([
    { severity: "warn", finding: expect.stringContaining(`the table lockstep.${table} has neither`) },
  ]);
  for (const covered of [
    "for all tables",
    "for table lockstep.finished_jobs with (publish_via_partition_root)",
  ]) {
    await db.query(`create publication everything ${covered}`);
    undo.push(() => db.query("drop publication if exists everything"));
    expect(await findings("publications")).toMatchObject([
      {
        severity: "bad",
        finding: expect.stringContaining("since publication everything covers it"),
        repair_sql: `alter table lockstep.${table} replica identity full;`,
      },
    ]);
    await db.query("drop publication everything");
  }
  const [found] = await findings("publications");
  await db.query(found?.repair_sql ?? "");
  expect(await findings("publications")).toMatchObject([{ severity: "ok" }]);
});

test("a stage in which jobs wait without a live worker is told of", async () => {
  const now = new Date();
  await jobs.aPendingJob({ at: now });
  expect(await findings("served stages")).toMatchObject([
    { severity: "bad", finding: "orders/read has 1 waiting jobs, but no live worker serves it" },
  ]);
  await jobs.aWorker({ serves: ["orders/read"], at: now });
  expect(await findings("served stages")).toMatchObject([{ severity: "ok" }]);
  expect(await findings("served stages", inTenMinutes())).toMatchObject([{ severity: "bad" }]);
});

test("a paused stage in which jobs wait is told of, and not as unserved", async () => {
  await jobs.aPendingJob();
  await db.call("pause_stage", { p_pipeline: "orders", p_stage: "read" });
  const [found] = await findings("paused stages");
  expect(found).toMatchObject({
    severity: "warn",
    repair_sql: "select lockstep.resume_stage('orders', 'read');",
  });
  expect(await findings("served stages")).toMatchObject([{ severity: "ok" }]);
});

test("jobs of a dead worker that nobody takes back are told of", async () => {
  const worker = await jobs.aWorker({ serves: ["orders/read"], at: new Date() });
  await jobs.aClaimedJob({ by: worker, at: new Date() });
  expect(await findings("workers")).toMatchObject([{ severity: "ok", finding: "1 workers are alive" }]);
  expect(await findings("workers", inTenMinutes())).toMatchObject([
    { severity: "bad", repair_sql: "select lockstep.reset_stalled_jobs();" },
  ]);
});

test("a job that is overdue beside a live worker is told of", async () => {
  const id = await jobs.aPendingJob({ at: new Date(), scheduledFor: minutesFromNow(5) });
  await jobs.aWorker({ serves: ["orders/read"], at: minutesFromNow(10) });
  expect(await findings("overdue jobs")).toMatchObject([{ severity: "ok" }]);
  const [found] = await findings("overdue jobs", inTenMinutes());
  expect(found).toMatchObject({
    severity: "warn",
    finding: expect.stringContaining(`job ${id} of orders/read`),
  });
  expect(await db.query(found?.repair_sql ?? "")).not.toEqual([]);
});

test("a schedule that cannot add its jobs is told of", async () => {
  await db.call("set_schedule", { p_name: "nightly", p_pipeline: "orders", p_cron: "0 3 * * *" });
  await db.query("update lockstep.schedules set problem = 'its pattern has no next tick'");
  expect(await findings("schedules")).toMatchObject([
    { severity: "warn", finding: "schedule nightly cannot add its jobs: its pattern has no next tick" },
  ]);
});
