import { type LocalPostgres, startPostgres } from "@lockstep/local-postgres";
import { testDatabase } from "@lockstep/test-support";
import { type Finding, migrate } from "lockstep";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../testing/run-cli.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();

test("every finding is a line, with advice and the SQL that mends it", async () => {
  await db.query("drop index lockstep.expiring");
  const { code, stdout, stderr } = await runCli(["doctor"], {
    databaseUrl: db.url,
    columns: 80,
    env: { NO_COLOR: "1" },
  });
  expect(stdout).toMatch(/^✔ ok {4}round trip: an empty statement takes \d+\.\d ms, there and back$/m);
  expect(stdout).toMatch(/^✖ bad {3}missing indexes: index lockstep\.expiring is missing/m);
  expect(stdout).toMatch(/^ {8}sql {2}create index expiring on lockstep\.jobs \(start_by\) where .*;$/m);
  expect(stderr).toMatch(/^Checks: \d+ ok, \d+ with a warning, \d+ bad\.$/m);
  expect(code).toBe(7);

  const { data } = (await runCli(["doctor", "--json"], { databaseUrl: db.url })).json<{ data: Finding[] }>();
  const repair = data.find(({ check }) => check === "missing indexes")?.repairSql;
  await db.query(repair ?? "");
  expect((await runCli(["doctor"], { databaseUrl: db.url })).stdout).not.toContain("is missing");
});

test("a database that does not answer ends with 3", async () => {
  const { code, stderr } = await runCli(["doctor"], { databaseUrl: "postgres://127.0.0.1:1/none" });
  expect(code).toBe(3);
  expect(stderr).toContain("PostgreSQL does not answer");
});

describe("on a server of its own", () => {
  let postgres: LocalPostgres;
  let client: pg.Client;
  beforeAll(async () => {
    postgres = await startPostgres({ settings: { max_prepared_transactions: "2" } });
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
  });

  async function bad(): Promise<Finding[]> {
    const { json } = await runCli(["doctor", "--json"], { databaseUrl: postgres.url });
    return json<{ data: Finding[] }>().data.filter(({ severity }) => severity === "bad");
  }

  async function run(sql: string): Promise<void> {
    // One by one, as psql sends them: some may not stand in a transaction.
    for (const statement of sql.split("; ")) await client.query(statement);
  }

  test("without the schema it says so, and with it all is well: exit code 0", async () => {
    expect(await bad()).toMatchObject([{ finding: "The database has no Lockstep schema yet" }]);
    await migrate({ databaseUrl: postgres.url });
    expect((await runCli(["doctor"], { databaseUrl: postgres.url })).code).toBe(0);
  });

  test("autovacuum that is off is found and mended by what is printed", async () => {
    await run("alter system set autovacuum = off; select pg_reload_conf()");
    await expect
      .poll(bad, soon)
      .toMatchObject([{ finding: "autovacuum is off: dead rows pile up, and every claim gets slower" }]);
    const [found] = await bad();
    await run(found?.repairSql ?? "");
    await expect.poll(bad, soon).toEqual([]);
  });

  test("a prepared transaction that was forgotten is found and mended by what is printed", async () => {
    await run("begin; select pg_current_xact_id(); prepare transaction 'forgotten'");
    const horizon = async () =>
      (
        await client.query(
          "select * from lockstep.diagnose(p_now => now() + interval '2 hours') where check_name = 'xmin horizon'",
        )
      ).rows;
    const [found] = await horizon();
    expect(found).toMatchObject({
      severity: "bad",
      finding: expect.stringMatching(/^prepared transaction 'forgotten' of postgres has been open since/),
    });
    await run(found.repair_sql);
    expect(await horizon()).toMatchObject([{ severity: "ok" }]);
  });
});
