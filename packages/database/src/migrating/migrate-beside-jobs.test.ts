import { testDatabase, untilBlocked } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { packagedSql } from "../schema/packaged-sql.ts";
import { codeSchemaVersion, migrationVersion } from "../schema/schema-version.ts";
import { MigrationBlockedError } from "./lock-patience.ts";
import { bookkeepingSql, lockSql, migrate, recordSql } from "./migrate.ts";

const db = testDatabase();
const name = () => new URL(db.url).pathname.slice(1);
let databaseUrl: string;
const clients: pg.Client[] = [];

beforeEach(async () => {
  const url = new URL(db.url);
  url.pathname = `/${name()}_old`;
  databaseUrl = url.href;
  await db.query(`drop database if exists ${name()}_old with (force)`);
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
});

afterAll(async () => {
  const admin = new pg.Client({ connectionString: db.url.replace(name(), "postgres") });
  await admin.connect();
  await admin.query(`drop database if exists ${name()}_old with (force)`);
  await admin.end();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "an application" });
  await client.connect();
  clients.push(client);
  return client;
}

/** The tables of an earlier release, with a pipeline. */
async function givenOldTables(version: number): Promise<void> {
  await db.query(`create database ${name()}_old template template1`);
  const client = await connect();
  await client.query(bookkeepingSql);
  for (const migration of (await packagedSql()).migrations) {
    if (migrationVersion(migration.name) > version) break;
    await client.query(migration.text);
    await client.query(recordSql(migration));
  }
  await client.query(`
    insert into lockstep.pipelines (name) values ('orders');
    insert into lockstep.stages (pipeline_id, name, ordinal) select id, 'read', 1 from lockstep.pipelines;`);
}

const insertJob = `insert into lockstep.jobs (id, added_at, pipeline_id, stage_id, position, ready_at, status, payload)
  select gen_random_uuid(), now(), s.pipeline_id, s.id, 1, now(), 'pending', '{}' from lockstep.stages s`;

describe("functions that have changed", () => {
  test("are replaced while a transaction is open that added, ended and read jobs, and adds go on", async () => {
    await migrate({ databaseUrl: db.url });
    await db.call("define_pipeline", { p_name: "orders", p_stages: [{ name: "read" }] });
    const [{ id } = { id: "" }] = await db.call<{ id: string }>("add_job", { p_pipeline: "orders" });
    const open = await db.connect();
    await open.query("begin");
    onTestFinished(async () => {
      await open.query("rollback");
    });
    await open.query("select lockstep.add_job('orders')");
    await open.query("select lockstep.cancel_job($1)", [id]);
    await open.query("select * from lockstep.list_jobs()");

    await db.query("update lockstep.applied_functions set digest = 'of another release'");
    const adder = await db.connect();
    let isMigrating = true;
    const adding = (async () => {
      // Nobody adds for longer than a lock of migrate is waited for.
      await adder.query("set lock_timeout = '1s'");
      let adds = 0;
      while (isMigrating) {
        await adder.query("select lockstep.add_job('orders')");
        adds += 1;
      }
      return adds;
    })();
    const waits: string[] = [];
    const migrated = await migrate({ databaseUrl: db.url, onWaiting: (sentence) => waits.push(sentence) });
    isMigrating = false;
    expect(migrated).toMatchObject({ migrations: [], functions: true });
    expect(await adding).toBeGreaterThan(0);
    expect(waits).toEqual([]);
  });

  test("leave the trigger that wakes workers as it is", async () => {
    const trigger = async () =>
      (await db.query("select oid, xmin::text from pg_trigger where tgname = 'wake_at_commit'"))[0];
    const before = await trigger();
    expect(before).toBeDefined();
    await db.query("update lockstep.applied_functions set digest = 'of another release'");
    expect(await migrate({ databaseUrl: db.url })).toMatchObject({ functions: true });
    expect(await trigger()).toEqual(before);
  });
});

describe("a table that has to change and is held by an open transaction", () => {
  test("lets adds go on while migrate tries again, says who holds it, and is changed when that ends", async () => {
    await givenOldTables(7);
    const [open, adder] = [await connect(), await connect()];
    await open.query("begin");
    await open.query(insertJob);
    const { rows } = await open.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid;

    const waits: string[] = [];
    let told = () => {};
    const secondWait = new Promise<void>((resolve) => {
      told = resolve;
    });
    const migrating = migrate({
      databaseUrl,
      onWaiting: (sentence) => {
        waits.push(sentence);
        if (waits.length === 2) told();
      },
    });
    let isWaiting = true;
    let adds = 0;
    const adding = (async () => {
      while (isWaiting) {
        await adder.query(insertJob);
        adds += 1;
      }
    })();
    await secondWait;
    isWaiting = false;
    await adding;
    expect(adds).toBeGreaterThan(1);
    expect(waits[0]).toMatch(
      new RegExp(
        `^Waiting for session ${pid} \\(an application, user \\w+, idle in transaction since .* UTC\\), whose transaction holds`,
      ),
    );
    await open.query("commit");
    expect(await migrating).toMatchObject({ functions: true, version: codeSchemaVersion });
    expect((await adder.query("select count(*)::integer as jobs from lockstep.jobs")).rows).toEqual([
      { jobs: adds + 1 },
    ]);
  });

  test("is left as it was when it is held for too long, with a sentence that names who holds it", async () => {
    await givenOldTables(7);
    const open = await connect();
    await open.query("begin");
    await open.query(insertJob);
    const { rows } = await open.query<{ pid: number }>("select pg_backend_pid() as pid");
    const blocked = migrate({ databaseUrl, lockPatienceMs: 0 });
    await expect(blocked).rejects.toBeInstanceOf(MigrationBlockedError);
    await expect(blocked).rejects.toThrow(
      `or end the session: select pg_terminate_backend(${rows[0]?.pid});), and migrate again. Nothing was changed.`,
    );
    await open.query("rollback");
    expect((await open.query("select max(version) as version from lockstep.migrations")).rows).toEqual([
      { version: 7 },
    ]);
  });

  test("does not keep migrate from waiting for another migrate", async () => {
    const other = await db.connect();
    await other.query("begin");
    await other.query(lockSql);
    await db.query("update lockstep.applied_functions set digest = 'of another release'");
    const migrating = migrate({ databaseUrl: db.url });
    await untilBlocked(db);
    await other.query("rollback");
    expect(await migrating).toMatchObject({ functions: true });
  });
});
