// In real time: a worker listens and renews its lease.
import { randomBytes } from "node:crypto";
import { recordEvents, testDatabase } from "@lockstep/test-support";
import { type Finding, MigrateError, migrate } from "lockstep";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../packages/cli/src/testing/run-cli.ts";
import { storyEngine } from "../stories/story-engine.ts";
import { storyPipelines } from "../stories/story-pipelines.ts";
import { until } from "../stories/until.ts";

const db = testDatabase();
const { errand } = storyPipelines();
const answer = { do: "answer" } as const;

const oddSettings: readonly (readonly [name: string, value: string])[] = [
  ["statement_timeout", "1ms"],
  ["lock_timeout", "1ms"],
  ["idle_in_transaction_session_timeout", "1ms"],
  ["idle_session_timeout", "50ms"],
  ["search_path", "nowhere"],
  ["default_transaction_isolation", "serializable"],
  ["datestyle", "German, DMY"],
];

/** For the user of all tests, in one database alone. */
async function setFor(database: string, settings: typeof oddSettings): Promise<void> {
  const inDatabase = `alter role ${decodeURIComponent(new URL(db.url).username)} in database ${database}`;
  for (const [name, value] of settings) await db.query(`${inDatabase} set ${name} = '${value}'`);
  onTestFinished(async () => void (await db.query(`${inDatabase} reset all`)));
}

async function newDatabase(): Promise<{ name: string; url: string }> {
  const name = `lockstep_odd_${randomBytes(4).toString("hex")}`;
  await db.query(`create database ${name}`);
  onTestFinished(async () => void (await db.query(`drop database ${name} with (force)`)));
  return { name, url: Object.assign(new URL(db.url), { pathname: `/${name}` }).href };
}

/** What doctor finds, besides what is so on a server for tests. */
async function badChecks(url: string): Promise<string[]> {
  const { json } = await runCli(["doctor", "--json"], { databaseUrl: url });
  return json<{ data: Finding[] }>()
    .data.filter(({ severity }) => severity === "bad")
    .map(({ check }) => check)
    .filter((check) => !["fsync", "full_page_writes", "synchronous_commit"].includes(check));
}

test.each(oddSettings)("a worker of a user whose %s is %s does all that it does", async (setting, value) => {
  await setFor(new URL(db.url).pathname.slice(1), [[setting, value]]);
  const seen = new pg.Client({ connectionString: db.url, application_name: "story" });
  seen.on("error", () => {});
  await seen.connect();
  expect((await seen.query(`select current_setting('${setting}') as found`)).rows).toEqual([
    { found: value },
  ]);
  await seen.end();

  const engine = storyEngine(db, { heartbeatIntervalMs: 200, leaseMs: 10_000 });
  const events = recordEvents(engine);
  await engine.start();
  const { id } = await engine.add(errand, answer);
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
  expect((await engine.get(id))?.addedAt).toBeInstanceOf(Date);
  expect(await engine.reader().job(id)).toMatchObject({ id, status: "completed" });
  await until("it hears a notification", async () => ((await engine.notifyLagMs()) ?? 500) < 500);
  await until("its lease is renewed", async () => {
    const rows = await db.query("select from lockstep.workers where report is not null");
    return rows.length === 1;
  });
  await until("its idle sessions are not cut off", async () => {
    const rows = await db.query(
      `select from pg_stat_activity where datname = current_database() and clock_timestamp() - backend_start > interval '300 ms'
         and application_name in ('lockstep listener', 'lockstep heartbeat', 'lockstep upkeep')`,
    );
    return rows.length >= 3;
  });
  const findings = await engine.diagnose();
  expect(findings.find(({ check }) => check === "listen and notify")).toMatchObject({ severity: "ok" });
  expect(events.all("engine.error")).toEqual([]);
});

test("a user with all of them migrates, and is helped by doctor", async () => {
  const { name, url } = await newDatabase();
  await setFor(name, oddSettings);
  const { migrations, functions } = await migrate({ databaseUrl: url });
  expect({ functions, isNew: migrations.length > 0 }).toEqual({ functions: true, isNew: true });
  expect(await migrate({ databaseUrl: url })).toMatchObject({ migrations: [], functions: false });
  expect(await badChecks(url)).toEqual([]);
});

test("where the user's transactions are read-only, migrate refuses and doctor tells, each with what to do", async () => {
  const { name, url } = await newDatabase();
  await setFor(name, [["default_transaction_read_only", "on"]]);
  const refused = migrate({ databaseUrl: url });
  await expect(refused).rejects.toThrow(MigrateError);
  await expect(refused).rejects.toThrow(
    /^The schema cannot be migrated where nothing can be written .* switch it off first\. Nothing was changed\.$/,
  );
  const command = await runCli(["migrate"], { databaseUrl: url });
  expect([command.code, command.stderr]).toEqual([
    3,
    expect.stringMatching(/PostgreSQL is read-only at the moment: .*default_transaction_read_only/),
  ]);
});

test("where they became read-only later, start() waits with a sentence, and doctor names it", async () => {
  const database = new URL(db.url).pathname.slice(1);
  await setFor(database, [["default_transaction_read_only", "on"]]);
  expect(await badChecks(db.url)).toEqual(["default_transaction_read_only"]);
  const engine = storyEngine(db);
  const events = recordEvents(engine);
  const starting = engine.start();
  const { error } = await events.next("database.down");
  expect(error.message).toMatch(/read-only at the moment: .*default_transaction_read_only/);
  await db.query(
    `alter role ${decodeURIComponent(new URL(db.url).username)} in database ${database} reset all`,
  );
  await starting;
  const { id } = await engine.add(errand, answer);
  expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
});
