import { connectionTarget } from "@lockstep/database/internal";
import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { Database } from "./database.ts";
import { DatabaseUnavailableError, RefusedError } from "./database-error.ts";

const db = testDatabase();
beforeEach(() => db.reset());

function aDatabase(options: pg.PoolConfig = {}) {
  const pool = new pg.Pool({ connectionString: db.url, application_name: "their pool", max: 2, ...options });
  const errors: Error[] = [];
  pool.on("error", (error) => errors.push(error));
  onTestFinished(() => pool.end());
  const database = new Database({
    target: connectionTarget({ pool }, (sentence) => new Error(sentence)),
    pool,
    connections: 4,
    transactionPooler: false,
    applicationName: "not used",
  });
  return { pool, database, errors };
}

const sql = (text: string, values: unknown[] = []) => ({ name: "lockstep_a_name", text, values });

test("calls go through it, and leave nothing in its sessions", async () => {
  const { pool, database } = aDatabase({ options: "-c statement_timeout=12345" });
  expect(await database.query(sql("select current_setting('application_name') as name"))).toEqual([
    { name: "their pool" },
  ]);
  expect(await database.queryArrays(sql("select $1::int + 1", [1]))).toEqual([[2]]);
  await database.transaction(async (query) => query(sql("select pg_notify('somewhere', 'x')")));
  expect(pool.totalCount).toBe(1);
  const left = await pool.query(
    `select current_setting('statement_timeout') as statement_timeout,
       (select count(*)::int from pg_prepared_statements) as named,
       (select count(*)::int from pg_listening_channels()) as channels`,
  );
  expect(left.rows).toEqual([{ statement_timeout: "12345ms", named: 0, channels: 0 }]);
  const client = await pool.connect();
  expect(client.listenerCount("error")).toBe(0);
  client.release();
});

test("it stays open when the engine is closed, which then refuses calls", async () => {
  const { pool, database } = aDatabase();
  await database.query(sql("select 1"));
  await database.close({ sleep: async () => {} });
  await expect(database.query(sql("select 1"))).rejects.toThrow(/This engine was stopped/);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a refused call leaves its connection in the pool; one that broke is replaced, and ends no process", async () => {
  const { database } = aDatabase();
  const pid = async () =>
    (await database.query<{ pid: number }>(sql("select pg_backend_pid() as pid")))[0]?.pid;
  const before = await pid();
  await expect(database.query(sql("select lockstep.add_jobs('[{}]')"))).rejects.toThrow(RefusedError);
  expect(await pid()).toBe(before);
  await expect(database.query(sql("select pg_terminate_backend(pg_backend_pid())"))).rejects.toThrow(
    DatabaseUnavailableError,
  );
  expect(await pid()).not.toBe(before);
});

test("a transaction that fails does not give its connection back", async () => {
  const { pool, database } = aDatabase();
  const failing = database.transaction(async (query) => {
    await query(sql("select 1"));
    throw new Error("of the caller");
  });
  await expect(failing).rejects.toThrow("of the caller");
  expect(pool.totalCount).toBe(0);
});

test("types that the pool reads in another way are read in the driver's own", async () => {
  const types = { getTypeParser: () => () => "as the pool reads" } as unknown as pg.CustomTypesConfig;
  const { database, pool } = aDatabase({ types });
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: "as the pool reads" }]);
  expect(await database.query(sql("select 1 as one, now() as at"))).toEqual([
    { one: 1, at: expect.any(Date) },
  ]);
});

test.each([
  [
    "-c default_transaction_isolation=serializable",
    /have default_transaction_isolation serializable.*options: "-c default_transaction_isolation=read/,
  ],
  ["-c DateStyle=German", /have DateStyle German, DMY.*options: "-c DateStyle=ISO"/],
])("sessions that do not fit are refused with what to do: %s", async (options, sentence) => {
  const { database } = aDatabase({ options });
  const refused = database.query(sql("select 1"));
  await expect(refused).rejects.toThrow(DatabaseUnavailableError);
  await expect(refused).rejects.toThrow(sentence);
  await expect(refused).rejects.toMatchObject({ isFinal: true });
});
