import { JobFactory, testDatabase } from "@lockstep/test-support";
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
      finding: "fsync is off: when the machine stops, the whole database may be lost",
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
  const name = `events_${minutesFromNow(24 * 60)
    .toISOString()
    .slice(0, 10)
    .replaceAll("-", "")}`;
  await db.query(`drop table lockstep.${name}`);
  const [found] = await findings("partitions");
  expect(found).toMatchObject({
    severity: "warn",
    finding: expect.stringContaining(`lockstep.${name} for `),
  });
  await db.query(found?.repair_sql ?? "");
  expect(await findings("partitions")).toMatchObject([{ severity: "ok" }]);
});

test("a stage in which jobs wait without a live worker is told of", async () => {
  const now = new Date();
  await jobs.aPendingJob({ at: now });
  expect(await findings("served stages")).toMatchObject([
    { severity: "bad", finding: "orders/read has 1 jobs that wait, and no live worker serves it" },
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
